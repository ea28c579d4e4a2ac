/// A value that answers show as JSON.
public protocol JSONWritable {
  /// Writes it as one JSON value.
  func write(to writer: inout JSONWriter)
}

extension JSONWritable {
  /// Its JSON text, UTF-8.
  public var json: [UInt8] {
    var writer = JSONWriter(capacity: 1024)
    write(to: &writer)
    return writer.bytes
  }

  /// Its JSON text, as for a cell of a table.
  public var jsonText: String { String(decoding: json, as: UTF8.self) }
}

extension JSONValue: JSONWritable {
  /// Writes the value, an object's members in the order of their names' bytes.
  public func write(to writer: inout JSONWriter) { writer.value(self) }
}

extension Array: JSONWritable where Element: JSONWritable {
  /// Writes an array of the elements.
  public func write(to writer: inout JSONWriter) {
    writer.array(self) { $1.write(to: &$0) }
  }
}
