/// Writes JSON as PostgreSQL prints `jsonb`: `": "` and `", "`, names by length and then bytes,
/// and only the escapes of its `escape_json`. Foundation's encoder cannot be told this spelling,
/// and equal values must be equal texts.
struct JSONTextWriter {
  /// What was written.
  private(set) var text = ""

  /// Writes an object.
  mutating func object<Value>(
    _ entries: [String: Value], _ write: (inout Self, Value) -> Void
  ) {
    let names = entries.keys.sorted { left, right in
      left.utf8.count == right.utf8.count
        ? left.utf8.lexicographicallyPrecedes(right.utf8) : left.utf8.count < right.utf8.count
    }
    text += "{"
    for (index, name) in names.enumerated() {
      if index > 0 { text += ", " }
      string(name)
      text += ": "
      if let value = entries[name] { write(&self, value) }
    }
    text += "}"
  }

  /// Writes a number, boolean or null.
  mutating func literal(_ literal: String) { text += literal }

  /// Writes a string.
  mutating func string(_ string: String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\u{8}": text += "\\b"
      case "\u{C}": text += "\\f"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\0"..<" ": text += "\\u00\([UInt8(scalar.value)].hex)"
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
