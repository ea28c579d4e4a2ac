/// The bound values of one execution, in binary form, in the order of `$1`, `$2` ….
///
/// The server infers each parameter's type from the statement; the value must have that type
/// (`$1::bigint` says it where it is not plain).
public struct Parameters: Sendable {
  /// Where each value lies in `bytes`; `nil` is null.
  private(set) var ranges: [Range<Int>?] = []
  /// All values, one behind the other. The bytes start with a byte that no value owns, so that an
  /// empty value has an address and is not taken for null.
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

  /// Appends the next values, each as by itself.
  public mutating func append<First: PostgresValue, each Rest: PostgresValue>(
    _ first: First?, _ rest: repeat (each Rest)?
  ) {
    append(first)
    repeat append(each rest)
  }

  /// Appends the values of another list.
  public mutating func append(contentsOf other: Parameters) {
    let offset = bytes.count - 1
    bytes += other.bytes.dropFirst()
    ranges += other.ranges.map { range in
      range.map { $0.lowerBound + offset..<$0.upperBound + offset }
    }
  }

  /// Appends a one-dimensional array whose elements may be null: a column of a batch, for
  /// `unnest`.
  public mutating func append<Element: PostgresValue>(column elements: [Element?]) {
    let start = bytes.count
    encodeArray(elements, into: &bytes)
    ranges.append(start..<bytes.count)
  }

  /// Appends an array of rows of a composite type, for `unnest($1::type[])`: a row of forty columns
  /// takes the server 6 microseconds to unpack, and 93 if it comes as an array for each column.
  ///
  /// The type's object id differs between databases; the server takes the id that the statement
  /// names (`array_recv` of PostgreSQL 14 and later).
  /// - Parameter write: Writes all columns of the type, in its order.
  public mutating func append<Row>(rows: [Row], _ write: (Row, inout RowWriter) -> Void) {
    let start = bytes.count
    encodeArrayHeader(of: recordOID, count: rows.count, into: &bytes)
    var writer = RowWriter()
    swap(&writer.bytes, &bytes)
    for row in rows { writer.row { write(row, &$0) } }
    swap(&writer.bytes, &bytes)
    ranges.append(start..<bytes.count)
  }
}

/// The type of all rows, `record` in `pg_type`.
private let recordOID: UInt32 = 2249
