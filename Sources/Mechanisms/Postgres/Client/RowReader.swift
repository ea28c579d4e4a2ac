internal import CLibpq

/// Reads the columns of one row from left to right, in binary form.
///
/// It looks into libpq's result and is valid only inside ``Statement/decode(_:)``.
public struct RowReader {
  let result: OpaquePointer
  let row: Int32
  var column: Int32 = 0

  /// What the next columns hold: a value, `nil` for null, or a record.
  /// - Throws: ``PostgresError`` when a column is absent, not of that type, or null unexpectedly.
  public mutating func next<Part: RowDecodable>(
    _ type: Part.Type = Part.self
  ) throws(PostgresError) -> Part {
    try Part(row: &self)
  }

  /// What a function makes of the next columns: `next(into: KeyRecord.init)` reads them in the
  /// order of the record's properties.
  public mutating func next<each Part: RowDecodable, Whole>(
    into make: (repeat each Part) -> Whole
  ) throws(PostgresError) -> Whole {
    make(repeat try next((each Part).self))
  }

  /// The next column, `nil` when it is null.
  mutating func nextOptional<Value: PostgresValue>(
    _ type: Value.Type
  ) throws(PostgresError) -> Value? {
    guard column < PQnfields(result), PQftype(result, column) == Value.oid else {
      throw PostgresError(.decoding, "column \(column + 1) of the row is not a \(Value.self)")
    }
    defer { column += 1 }
    guard PQgetisnull(result, row, column) == 0 else { return nil }
    let bytes = UnsafeRawBufferPointer(
      start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    guard let value = Value(binary: bytes) else {
      throw PostgresError(.decoding, "column \(column + 1) of the row holds no \(Value.self)")
    }
    return value
  }
}

/// What reads its own columns: a value, or a record.
public protocol RowDecodable: SendableMetatype {
  /// Reads them from left to right.
  init(row: inout RowReader) throws(PostgresError)
}

extension PostgresValue {
  /// Reads one column, which is not null.
  public init(row: inout RowReader) throws(PostgresError) {
    guard let value = try row.nextOptional(Self.self) else {
      throw PostgresError(.decoding, "column \(row.column) of the row is null")
    }
    self = value
  }
}

extension Optional: RowDecodable where Wrapped: PostgresValue {
  /// Reads one column, `nil` when it is null.
  public init(row: inout RowReader) throws(PostgresError) {
    self = try row.nextOptional(Wrapped.self)
  }
}
