/// Rows in PostgreSQL's binary form, column by column: those of a `COPY`, or of an array of a
/// composite type.
public struct RowWriter: Sendable {
  /// Where rows go, which differ in what is in front of a row and of a value.
  enum Form {
    /// A row has the number of its columns (PostgreSQL manual, COPY, Binary Format).
    case copy
    /// A row is an element of an array, behind its length, and each value has its type
    /// (`record_recv`).
    case array
  }

  private let form: Form
  /// What was written, behind what was there.
  var bytes: [UInt8]
  private var columns = 0

  init(_ form: Form, behind bytes: [UInt8] = []) {
    self.form = form
    self.bytes = bytes
  }

  /// Appends the next column's value; `nil` is null.
  public mutating func append<Value: PostgresValue>(_ value: Value?) {
    columns += 1
    if form == .array { Value.oid.encodeBigEndian(into: &bytes) }
    encodeElement(value, into: &bytes)
  }

  /// Writes a row.
  mutating func row(_ write: (inout RowWriter) -> Void) {
    let start = bytes.count
    columns = 0
    switch form {
    case .copy:
      Int16(0).encodeBigEndian(into: &bytes)
      write(&self)
      store(Int16(columns), at: start)
    case .array:
      Int64(0).encodeBigEndian(into: &bytes)
      write(&self)
      store(Int32(bytes.count - start - 4), at: start)
      store(Int32(columns), at: start + 4)
    }
  }

  private mutating func store<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
    bytes.withUnsafeMutableBytes {
      $0.storeBytes(of: value.bigEndian, toByteOffset: offset, as: Value.self)
    }
  }
}
