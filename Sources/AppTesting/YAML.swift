/// Reads the YAML that `openapi.yaml` is written in: maps and lists by indentation, collections in
/// braces and brackets (any JSON is one), quoted and plain text, `|` and `>-`. Foundation has no
/// reader for it.
struct YAMLReader {
  private var lines: [Substring]
  private var index = 0

  /// The value of a whole text.
  static func value(of text: String) -> JSON {
    var reader = YAMLReader(lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    return reader.block(indent: 0)
  }

  private init(lines: [Substring]) { self.lines = lines }

  /// The next line that says something, without its indentation.
  private mutating func peek() -> (indent: Int, content: Substring)? {
    while index < lines.count {
      let content = lines[index].drop { $0 == " " }
      if !content.isEmpty, content.first != "#" {
        return (lines[index].count - content.count, content)
      }
      index += 1
    }
    return nil
  }

  private mutating func block(indent: Int) -> JSON {
    guard let (_, content) = peek() else { return .null }
    return content.hasPrefix("- ") ? list(indent: indent) : map(indent: indent)
  }

  private mutating func map(indent: Int) -> JSON {
    var members: [String: JSON] = [:]
    while let line = peek(), line.indent == indent, let (key, rest) = Self.entry(line.content) {
      index += 1
      members[key] = value(rest, indent: indent)
    }
    return .object(members)
  }

  private mutating func list(indent: Int) -> JSON {
    var elements: [JSON] = []
    while let line = peek(), line.indent == indent, line.content.hasPrefix("- ") {
      let item = line.content.dropFirst(2)
      if !Self.isFlow(item), Self.entry(item) != nil {
        lines[index] = Substring(String(repeating: " ", count: indent + 2) + item)
        elements.append(map(indent: indent + 2))
      } else {
        index += 1
        elements.append(value(item, indent: indent))
      }
    }
    return .array(elements)
  }

  /// The value that begins behind a key or a dash.
  private mutating func value(_ rest: Substring, indent: Int) -> JSON {
    if rest.isEmpty {
      guard let next = peek(), next.indent > indent else { return .null }
      guard Self.isFlow(next.content) else { return block(indent: next.indent) }
      index += 1
      return flow(next.content)
    }
    if rest.first == "|" || rest.first == ">" { return .string(text(style: rest, indent: indent)) }
    if Self.isFlow(rest) { return flow(rest) }
    var text = String(rest)
    while let next = peek(), next.indent > indent {
      text += " \(next.content)"
      index += 1
    }
    return FlowReader.scalar(text)
  }

  /// A flow value that may go on over several lines.
  private mutating func flow(_ start: Substring) -> JSON {
    var text = String(start)
    while true {
      if let value = FlowReader.value(of: text) { return value }
      guard index < lines.count else { return .absent }
      text += "\n\(lines[index].drop { $0 == " " })"
      index += 1
    }
  }

  /// The lines of `|` as they are, and those of `>-` as one.
  private mutating func text(style: Substring, indent: Int) -> String {
    var paragraph: [Substring] = []
    while index < lines.count {
      let content = lines[index].drop { $0 == " " }
      guard content.isEmpty || lines[index].count - content.count > indent else { break }
      paragraph.append(lines[index])
      index += 1
    }
    let margin = paragraph.first.map { $0.count - $0.drop { $0 == " " }.count } ?? 0
    let texts = paragraph.map { String($0.dropFirst(margin)) }
    return texts.joined(separator: style.first == "|" ? "\n" : " ")
  }

  private static func isFlow(_ text: Substring) -> Bool {
    text.first.map { "{[\"'".contains($0) } ?? false && entry(text) == nil
  }

  /// Key and value of a line.
  private static func entry(_ text: Substring) -> (key: String, rest: Substring)? {
    if let quote = text.first, quote == "'" || quote == "\"" {
      guard let end = text.dropFirst().firstIndex(of: quote) else { return nil }
      let after = text[text.index(after: end)...]
      guard after.hasPrefix(":") else { return nil }
      let key = text[text.index(after: text.startIndex)..<end]
      return (String(key), after.dropFirst().drop { $0 == " " })
    }
    guard let first = text.first, first != "{", first != "[" else { return nil }
    if let colon = text.firstRange(of: ": ") {
      return (String(text[..<colon.lowerBound]), text[colon.upperBound...].drop { $0 == " " })
    }
    return text.last == ":" ? (String(text.dropLast()), "") : nil
  }
}

/// Reads one flow value: `{ $ref: '#/a' }`, `[a, b]`, `"a"`, or any JSON.
private struct FlowReader {
  private let text: [Unicode.Scalar]
  private var index = 0

  private init(_ text: String) { self.text = Array(text.unicodeScalars) }

  /// The value; `nil` when the text ends within it.
  static func value(of text: String) -> JSON? {
    var reader = FlowReader(text)
    return reader.value()
  }

  /// Plain text as what it says.
  static func scalar(_ text: String) -> JSON {
    switch text {
    case "null": .null
    case "true": .bool(true)
    case "false": .bool(false)
    default: Double(text).map(JSON.number) ?? .string(text)
    }
  }

  private mutating func skipSpace() {
    while index < text.count, text[index] == " " || text[index] == "\n" { index += 1 }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    skipSpace()
    guard index < text.count, text[index] == scalar else { return false }
    index += 1
    return true
  }

  private mutating func value() -> JSON? {
    if take("{") { return map() }
    if take("[") { return list() }
    return scalar()
  }

  private mutating func map() -> JSON? {
    var members: [String: JSON] = [:]
    if take("}") { return .object(members) }
    repeat {
      guard let key = scalar(isKey: true), take(":"), let value = value() else { return nil }
      members[key.string ?? key.text] = value
    } while take(",")
    return take("}") ? .object(members) : nil
  }

  private mutating func list() -> JSON? {
    var elements: [JSON] = []
    if take("]") { return .array(elements) }
    repeat {
      guard let value = value() else { return nil }
      elements.append(value)
    } while take(",")
    return take("]") ? .array(elements) : nil
  }

  private mutating func scalar(isKey: Bool = false) -> JSON? {
    if take("\"") { return doubleQuoted().map(JSON.string) }
    if take("'") { return singleQuoted().map(JSON.string) }
    skipSpace()
    var plain = String.UnicodeScalarView()
    while index < text.count, !",}]\n".unicodeScalars.contains(text[index]),
      !(isKey && text[index] == ":")
    {
      plain.append(text[index])
      index += 1
    }
    guard index < text.count else { return nil }
    return Self.scalar(String(plain).trimmed)
  }

  private mutating func singleQuoted() -> String? {
    var result = String.UnicodeScalarView()
    while index < text.count {
      defer { index += 1 }
      if text[index] == "'" {
        guard index + 1 < text.count, text[index + 1] == "'" else { return String(result) }
        index += 1
      }
      result.append(text[index])
    }
    return nil
  }

  private mutating func doubleQuoted() -> String? {
    var json = "\""
    while index < text.count {
      let scalar = text[index]
      index += 1
      switch scalar {
      case "\"":
        return JSON(parsing: Array((json + "\"").utf8)).string
      case "\\":
        guard index < text.count else { return nil }
        // A line break behind a backslash is none.
        if text[index] != "\n" { json += "\\\(text[index])" }
        index += 1
      case "\n": json += " "
      default: json.unicodeScalars.append(scalar)
      }
    }
    return nil
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
