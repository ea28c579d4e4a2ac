internal import CLibpq

/// Reads the columns of one row from left to right, in binary form.
///
/// It looks into libpq's result and is valid only inside ``Statement/decode(_:)``.
public struct RowReader {
  let result: OpaquePointer
  let row: Int32
  var column: Int32 = 0

  /// The next column.
  /// - Throws: ``PostgresError`` when it is null, absent or not of that type.
  public mutating func next<Value: PostgresValue>(
    _ type: Value.Type = Value.self
  ) throws(PostgresError) -> Value {
    guard let value = try nextOptional(type) else {
      throw PostgresError(.decoding, "column \(column) of the row is null")
    }
    return value
  }

  /// The next column, `nil` when it is null.
  /// - Throws: ``PostgresError`` when it is absent or not of that type.
  public mutating func nextOptional<Value: PostgresValue>(
    _ type: Value.Type = Value.self
  ) throws(PostgresError) -> Value? {
    guard column < PQnfields(result), PQftype(result, column) == Value.oid else {
      throw PostgresError(.decoding, "column \(column + 1) of the row is not a \(Value.self)")
    }
    defer { column += 1 }
    guard PQgetisnull(result, row, column) == 0 else { return nil }
    let bytes = UnsafeRawBufferPointer(
      start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    guard let value = Value(binary: bytes) else {
      throw PostgresError(.decoding, "column \(column + 1) of the row has malformed bytes")
    }
    return value
  }
}
