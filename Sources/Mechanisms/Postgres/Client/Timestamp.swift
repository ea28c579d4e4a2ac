/// `timestamptz`: a point in time with microsecond resolution, as PostgreSQL keeps it.
public struct Timestamp: PostgresValue, Hashable, Comparable {
  /// Microseconds since 1970-01-01T00:00:00Z; negative before.
  public var microseconds: Int64
  /// A point in time by its microseconds since 1970-01-01T00:00:00Z.
  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// PostgreSQL counts from 2000-01-01T00:00:00Z.
  private static let postgresEpoch: Int64 = 946_684_800_000_000
  /// `timestamptz`.
  public static var oid: UInt32 { 1184 }
  /// `timestamptz[]`.
  public static var arrayOID: UInt32 { 1185 }
  /// Microseconds since 2000 in eight bytes; times before PostgreSQL's become `-infinity`.
  public func encode(into bytes: inout [UInt8]) {
    let (sinceEpoch, overflow) = microseconds.subtractingReportingOverflow(Self.postgresEpoch)
    (overflow ? .min : sinceEpoch).encodeBigEndian(into: &bytes)
  }
  /// Reads eight bytes; `nil` for `infinity` and `-infinity`, which are no points in time.
  public init?(binary bytes: UnsafeRawBufferPointer) {
    guard let sinceEpoch = Int64(bigEndian: bytes) else { return nil }
    let (sum, overflow) = sinceEpoch.addingReportingOverflow(Self.postgresEpoch)
    guard !overflow, sinceEpoch != .min else { return nil }
    microseconds = sum
  }
  /// Earlier is less.
  public static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }
}
