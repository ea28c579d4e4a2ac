/// `xid8`: the number of a transaction, counted up as long as a cluster lives (PostgreSQL manual,
/// section 74.1).
public struct TransactionID: PostgresValue, Hashable, Comparable {
  /// The number; no transaction has 0.
  public var number: UInt64
  /// A transaction by its number.
  public init(_ number: UInt64) { self.number = number }
  /// `xid8`.
  public static var oid: UInt32 { 5069 }
  /// `xid8[]`.
  public static var arrayOID: UInt32 { 271 }
  /// Eight bytes, the most significant first.
  public func encode(into bytes: inout [UInt8]) { number.encodeBigEndian(into: &bytes) }
  /// Reads the same; `nil` when the length differs.
  public init?(binary bytes: UnsafeRawBufferPointer) {
    guard let number = UInt64(bigEndian: bytes) else { return nil }
    self.number = number
  }
  /// Whether it began earlier.
  public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
