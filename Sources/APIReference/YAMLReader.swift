// Foundation has no reader for YAML, and a library for all of it would be larger than this service
// needs: `openapi.yaml` keeps to one form.

/// Reads the YAML that `openapi.yaml` is written in: maps and lists by indentation, collections in
/// braces and brackets (any JSON is one), plain and quoted text, `|` and `>`.
///
/// | text | value |
/// |---|---|
/// | `a: 1` | a map of a number |
/// | `- a: x` and below it `  b: y` | a list of one map with two members |
/// | `a: { b: [c, 'd'] }` | a map of a map of a list |
/// | `a: >-` and lines below it | the lines as one; an empty line between two is a line feed |
/// | `a: \|` and lines below it | the lines as they are, each with its line feed |
/// | `a: b` and `  c` below it | the text `b c` |
///
/// A comment has a line of its own. Anchors, tags and documents after the first are not read.
public struct YAMLReader {
  /// A line that is no comment, without its indentation.
  private struct Line {
    var indent: Int
    var start: Int
    let end: Int
    let number: Int
  }

  private let text: [UInt8]
  private var lines: [Line] = []
  private var index = 0
  private var depth = 0

  /// The value of a document.
  public static func value(of text: [UInt8]) throws(YAMLFault) -> YAMLValue {
    var reader = YAMLReader(text)
    guard let first = reader.peek() else { return .null }
    let value = try reader.block(indent: first.indent)
    if let line = reader.peek() {
      throw YAMLFault(line: line.number, expected: "a key at the indentation of its neighbours")
    }
    return value
  }

  private init(_ text: [UInt8]) {
    self.text = text
    var start = 0
    var number = 1
    while start < text.count {
      let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
      let content = text[start..<end].firstIndex { $0 != UInt8(ascii: " ") } ?? end
      lines.append(Line(indent: content - start, start: content, end: end, number: number))
      start = end + 1
      number += 1
    }
  }

  /// The next line that says something.
  private mutating func peek() -> Line? {
    while index < lines.count {
      let line = lines[index]
      if line.start < line.end, text[line.start] != UInt8(ascii: "#") { return line }
      index += 1
    }
    return nil
  }

  private func fault(_ expected: String) -> YAMLFault {
    let line = index < lines.count ? lines[index].number : lines.count
    return YAMLFault(line: line, expected: expected)
  }

  private func string(_ range: Range<Int>) -> String {
    String(decoding: text[range], as: UTF8.self)
  }

  private func isItem(_ line: Line) -> Bool {
    line.end - line.start > 1 && text[line.start] == UInt8(ascii: "-")
      && text[line.start + 1] == UInt8(ascii: " ")
  }

  private mutating func block(indent: Int) throws(YAMLFault) -> YAMLValue {
    guard let line = peek() else { return .null }
    guard depth < Limits.depth else { throw fault("at most \(Limits.depth) levels") }
    depth += 1
    defer { depth -= 1 }
    return try isItem(line) ? list(indent: indent) : map(indent: indent)
  }

  private mutating func map(indent: Int) throws(YAMLFault) -> YAMLValue {
    var members: [YAMLValue.Member] = []
    while let line = peek(), line.indent == indent {
      guard let entry = entry(line.start..<line.end) else { throw fault("a key and a colon") }
      guard !members.contains(where: { $0.name == entry.key }) else {
        throw fault("a key that is not there yet, unlike `\(entry.key)`")
      }
      index += 1
      members.append(
        .init(name: entry.key, value: try value(entry.rest, line: index - 1, indent: indent)))
    }
    return .map(members)
  }

  private mutating func list(indent: Int) throws(YAMLFault) -> YAMLValue {
    var elements: [YAMLValue] = []
    while let line = peek(), line.indent == indent, isItem(line) {
      let item = line.start + 2..<line.end
      if entry(item) != nil {
        // The dash stands where the map is indented.
        lines[index].indent = indent + 2
        lines[index].start = item.lowerBound
        elements.append(try map(indent: indent + 2))
      } else {
        index += 1
        elements.append(try value(item, line: index - 1, indent: indent))
      }
    }
    return .list(elements)
  }

  /// The value that begins behind a key or a dash, in a line that is read as far as that.
  private mutating func value(
    _ rest: Range<Int>, line: Int, indent: Int
  ) throws(YAMLFault) -> YAMLValue {
    guard let first = text[rest].first else {
      guard let next = peek(), next.indent > indent else { return .null }
      guard isFlow(next.start..<next.end) else { return try block(indent: next.indent) }
      return try flow(at: next.start)
    }
    switch first {
    case UInt8(ascii: "|"): return .string(literal(indent: indent, keepsEnd: rest.count == 1))
    case UInt8(ascii: ">"): return .string(folded(indent: indent, keepsEnd: rest.count == 1))
    default: break
    }
    if isFlow(rest) {
      index = line
      return try flow(at: rest.lowerBound)
    }
    var words = string(rest)
    while let next = peek(), next.indent > indent {
      words += " " + string(next.start..<next.end)
      index += 1
    }
    return FlowReader.scalar(words)
  }

  private mutating func flow(at start: Int) throws(YAMLFault) -> YAMLValue {
    var reader = FlowReader(text, from: start)
    guard let value = reader.value(), reader.endsLine() else {
      throw fault("a value that is whole, and nothing behind it")
    }
    while index < lines.count, lines[index].end < reader.index { index += 1 }
    index += 1
    return value
  }

  /// The lines that are deeper than `indent`, without the indentation of the first, nor empty ones
  /// at the end.
  private mutating func paragraph(indent: Int) -> [String] {
    var found: [String] = []
    var margin: Int?
    while index < lines.count {
      let line = lines[index]
      guard line.start == line.end || line.indent > indent else { break }
      if line.start < line.end, margin == nil { margin = line.indent }
      let start = line.start - max(0, line.indent - (margin ?? line.indent))
      found.append(string(start..<line.end))
      index += 1
    }
    while found.last == "" { found.removeLast() }
    return found
  }

  private mutating func literal(indent: Int, keepsEnd: Bool) -> String {
    paragraph(indent: indent).joined(separator: "\n") + (keepsEnd ? "\n" : "")
  }

  private mutating func folded(indent: Int, keepsEnd: Bool) -> String {
    let paragraphs = paragraph(indent: indent).split(separator: "")
    return paragraphs.map { $0.joined(separator: " ") }.joined(separator: "\n")
      + (keepsEnd ? "\n" : "")
  }

  private func isFlow(_ range: Range<Int>) -> Bool {
    guard let first = text[range].first else { return false }
    return "{[\"'".utf8.contains(first) && entry(range) == nil
  }

  /// Key and value of a line.
  private func entry(_ line: Range<Int>) -> (key: String, rest: Range<Int>)? {
    guard let first = text[line].first else { return nil }
    let key: Range<Int>
    var colon: Int
    if first == UInt8(ascii: "'") || first == UInt8(ascii: "\"") {
      guard let end = text[line].dropFirst().firstIndex(of: first) else { return nil }
      key = line.lowerBound + 1..<end
      colon = end + 1
      guard colon < line.upperBound, text[colon] == UInt8(ascii: ":") else { return nil }
    } else {
      guard first != UInt8(ascii: "{"), first != UInt8(ascii: "[") else { return nil }
      guard let found = line.first(where: { isColon(at: $0, in: line) }) else { return nil }
      key = line.lowerBound..<found
      colon = found
    }
    colon += 1
    while colon < line.upperBound, text[colon] == UInt8(ascii: " ") { colon += 1 }
    return (string(key), colon..<line.upperBound)
  }

  /// Whether a key ends here: with a colon and a space, or the end of the line.
  private func isColon(at place: Int, in line: Range<Int>) -> Bool {
    text[place] == UInt8(ascii: ":")
      && (place + 1 == line.upperBound || text[place + 1] == UInt8(ascii: " "))
  }
}
