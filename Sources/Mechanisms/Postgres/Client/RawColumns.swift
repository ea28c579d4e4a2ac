internal import CLibpq
internal import Glibc

/// Columns of a row as they came, for a later look: compared and hashed by their bytes, and decoded
/// only when somebody wants to know what they say.
public struct RawColumns: Sendable, Hashable {
  /// Each column: its length as four bytes, -1 for null, and its bytes.
  private let bytes: [UInt8]

  fileprivate init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// How many bytes they are.
  public var byteCount: Int { bytes.count }

  /// Reads the columns from left to right.
  public func read<Value>(
    _ body: (inout RawColumnReader) throws(PostgresError) -> Value
  ) throws(PostgresError) -> Value {
    var reader = RawColumnReader(bytes[...])
    return try body(&reader)
  }

  /// Equality of the bytes.
  public static func == (first: Self, second: Self) -> Bool {
    first.bytes.withUnsafeBytes { first in
      second.bytes.withUnsafeBytes { second in
        guard let one = first.baseAddress, let other = second.baseAddress else {
          return first.isEmpty && second.isEmpty
        }
        return first.count == second.count && memcmp(one, other, first.count) == 0
      }
    }
  }

  /// All bytes at once: an array would feed the hasher one by one.
  public func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

/// Reads raw columns from left to right, as ``RowReader`` reads the columns of a result. Their
/// types are not kept, so ask for them as they were selected.
public struct RawColumnReader {
  private var rest: ArraySlice<UInt8>

  fileprivate init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// The next column, `nil` when it is null.
  /// - Throws: ``PostgresError`` when it is absent or malformed.
  public mutating func nextOptional<Value: PostgresValue>(
    _ type: Value.Type = Value.self
  ) throws(PostgresError) -> Value? {
    let head = rest.prefix(4)
    guard let length = head.withUnsafeBytes({ Int32(bigEndian: $0) }) else {
      throw PostgresError(.decoding, "there is no further raw column")
    }
    rest = rest.dropFirst(4)
    guard length >= 0 else { return nil }
    defer { rest = rest.dropFirst(Int(length)) }
    guard let value = rest.prefix(Int(length)).withUnsafeBytes(Value.init(binary:)) else {
      throw PostgresError(.decoding, "a raw column is not a \(Value.self)")
    }
    return value
  }
}

extension RowReader {
  /// The next columns, undecoded.
  public mutating func nextRaw(columns count: Int) throws(PostgresError) -> RawColumns {
    guard column + Int32(count) <= PQnfields(result) else {
      throw PostgresError(.decoding, "the row has too few columns")
    }
    defer { column += Int32(count) }
    let columns = column..<column + Int32(count)
    let size = columns.reduce(0) { $0 + 4 + Int(PQgetlength(result, row, $1)) }
    return RawColumns(
      [UInt8](unsafeUninitializedCapacity: size) { bytes, written in
        for column in columns {
          let length = PQgetlength(result, row, column)
          let isNull = length == 0 && PQgetisnull(result, row, column) == 1
          let head = (isNull ? -1 : length).bigEndian
          let rest = UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(bytes)[written...])
          rest.storeBytes(of: head, as: Int32.self)
          rest[4...].copyBytes(
            from: UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: Int(length))
          )
          written += 4 + Int(length)
        }
      })
  }
}
