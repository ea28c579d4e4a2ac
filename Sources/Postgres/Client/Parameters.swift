/// The bound values of one execution, in binary form, in the order of `$1`, `$2` ….
///
/// The server infers each parameter's type from the statement; the value must have that type
/// (`$1::bigint` says it where it is not plain).
public struct Parameters: Sendable {
  /// Where each value lies in `bytes`; `nil` is null.
  private(set) var ranges: [Range<Int>?] = []
  /// All values, one behind the other. It starts with a byte that no value owns, so that an empty
  /// value has an address and is not taken for null.
  private(set) var bytes: [UInt8] = [0]

  /// An empty list.
  public init() {}

  /// Appends the next value; `nil` binds null of that type.
  public mutating func append<Value: PostgresValue>(_ value: Value?) {
    guard let value else {
      ranges.append(nil)
      return
    }
    let start = bytes.count
    value.encode(into: &bytes)
    ranges.append(start..<bytes.count)
  }

  /// Appends the values of another list.
  public mutating func append(contentsOf other: Parameters) {
    let offset = bytes.count - 1
    bytes += other.bytes.dropFirst()
    ranges += other.ranges.map { range in
      range.map { $0.lowerBound + offset..<$0.upperBound + offset }
    }
  }

  /// Whether every value is null.
  public var areNull: Bool { ranges.allSatisfy { $0 == nil } }

  /// Appends a one-dimensional array whose elements may be null: a column of a batch, for
  /// `unnest`.
  public mutating func append<Element: PostgresValue>(column elements: [Element?]) {
    let start = bytes.count
    encodeArray(elements, into: &bytes)
    ranges.append(start..<bytes.count)
  }
}
