/// Rows of an array of a composite type in PostgreSQL's binary form (`record_recv`), column by
/// column: a row is behind its length, and each value behind its type.
public struct RowWriter: Sendable {
  /// The bytes that were written, behind those that were there before.
  var bytes: [UInt8] = []
  private var columns = 0

  /// Appends the next column's value; `nil` is null.
  public mutating func append<Value: PostgresValue>(_ value: Value?) {
    columns += 1
    Value.oid.encodeBigEndian(into: &bytes)
    encodeElement(value, into: &bytes)
  }

  /// Writes a row.
  mutating func row(_ write: (inout RowWriter) -> Void) {
    let start = bytes.count
    columns = 0
    Int64(0).encodeBigEndian(into: &bytes)
    write(&self)
    store(Int32(bytes.count - start - 4), at: start)
    store(Int32(columns), at: start + 4)
  }

  private mutating func store(_ value: Int32, at offset: Int) {
    bytes.withUnsafeMutableBytes {
      $0.storeBytes(of: value.bigEndian, toByteOffset: offset, as: Int32.self)
    }
  }
}
