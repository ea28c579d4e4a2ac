/// Writes a value of an example as JSON that people read: on one line while it is short, otherwise
/// a line for each member.
///
/// | value | text |
/// |---|---|
/// | `{a: 1, b: [x]}` | `{"a": 1, "b": ["x"]}` |
/// | the same, when longer than a line | `{`, `  "a": 1,`, `  "b": ["x"]`, `}` |
/// | a text that is the whole example | itself |
enum ExampleText {
  /// The example; a text alone is no JSON, but a file as it is sent.
  static func text(_ example: YAMLValue) -> String {
    if case .string(let text) = example { return text }
    return json(example, indent: 0, used: 0)
  }

  /// - Parameters:
  ///   - indent: How many spaces its lines have in front.
  ///   - used: How many characters of the first line are in use.
  private static func json(_ value: YAMLValue, indent: Int, used: Int) -> String {
    let short = compact(value)
    if used + short.count <= Limits.exampleColumns { return short }
    let margin = String(repeating: " ", count: indent + 2)
    let end = String(repeating: " ", count: indent)
    switch value {
    case .map(let members):
      let lines = members.map { member in
        let name = "\(margin)\(quoted(member.name)): "
        return name + json(member.value, indent: indent + 2, used: name.count + 1)
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(end)}"
    case .list(let elements):
      let lines = elements.map { margin + json($0, indent: indent + 2, used: indent + 3) }
      return "[\n\(lines.joined(separator: ",\n"))\n\(end)]"
    case .null, .bool, .number, .string: return short
    }
  }

  /// The shortest text, with a space behind each comma and colon.
  static func compact(_ value: YAMLValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let flag): flag ? "true" : "false"
    case .number(let text): text
    case .string(let text): quoted(text)
    case .list(let elements): "[\(elements.map(compact).joined(separator: ", "))]"
    case .map(let members):
      "{\(members.map { "\(quoted($0.name)): \(compact($0.value))" }.joined(separator: ", "))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var found = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": found += "\\\""
      case "\\": found += "\\\\"
      case "\n": found += "\\n"
      case "\r": found += "\\r"
      case "\t": found += "\\t"
      case "\u{0}"..<"\u{20}":
        found += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: found.unicodeScalars.append(scalar)
      }
    }
    return found + "\""
  }
}
