/// Reads one value that stands in braces, brackets or quotation marks: `{ $ref: '#/a' }`, `[a, b]`,
/// `"a"`, or any JSON.
struct FlowReader {
  private let text: [UInt8]
  /// Where the next value begins.
  private(set) var index: Int
  private var depth = 0

  init(_ text: [UInt8], from start: Int) {
    self.text = text
    index = start
  }

  /// Plain text as what it says: `null`, a boolean, a number, or itself.
  static func scalar(_ text: String) -> YAMLValue {
    switch text {
    case "null", "": .null
    case "true": .bool(true)
    case "false": .bool(false)
    default: isNumber(text) ? .number(text) : .string(text)
    }
  }

  /// Whether it is a number of JSON, or almost: `-1`, `0.5`, `1e3`, but not `0.1.0`.
  private static func isNumber(_ text: String) -> Bool {
    text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) } && Double(text) != nil
  }

  /// Whether nothing but spaces stands before the end of the line.
  func endsLine() -> Bool {
    (text[index...].first { $0 != UInt8(ascii: " ") } ?? UInt8(ascii: "\n")) == UInt8(ascii: "\n")
  }

  /// The value; `nil` when it is not whole.
  mutating func value() -> YAMLValue? {
    guard depth < Limits.depth else { return nil }
    depth += 1
    defer { depth -= 1 }
    if take("{") { return map() }
    if take("[") { return list() }
    return scalar(isKey: false)
  }

  private mutating func skipSpace() {
    while index < text.count, text[index] == UInt8(ascii: " ") || text[index] == UInt8(ascii: "\n")
    { index += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard index < text.count, text[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func map() -> YAMLValue? {
    var members: [YAMLValue.Member] = []
    if take("}") { return .map(members) }
    repeat {
      guard let name = scalar(isKey: true)?.text, take(":"), let value = value() else { return nil }
      members.append(.init(name: name, value: value))
    } while take(",")
    return take("}") ? .map(members) : nil
  }

  private mutating func list() -> YAMLValue? {
    var elements: [YAMLValue] = []
    if take("]") { return .list(elements) }
    repeat {
      guard let value = value() else { return nil }
      elements.append(value)
    } while take(",")
    return take("]") ? .list(elements) : nil
  }

  private mutating func scalar(isKey: Bool) -> YAMLValue? {
    if take("\"") { return doubleQuoted().map(YAMLValue.string) }
    if take("'") { return singleQuoted().map(YAMLValue.string) }
    let start = index
    while index < text.count, !",}]\n".utf8.contains(text[index]),
      !(isKey && text[index] == UInt8(ascii: ":"))
    { index += 1 }
    guard index < text.count else { return nil }
    let end = text[start..<index].lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? start
    let words = String(decoding: text[start..<end], as: UTF8.self)
    return isKey ? .string(words) : Self.scalar(words)
  }

  private mutating func singleQuoted() -> String? {
    var found: [UInt8] = []
    while index < text.count {
      let byte = text[index]
      index += 1
      if byte == UInt8(ascii: "'") {
        guard index < text.count, text[index] == byte else {
          return String(decoding: found, as: UTF8.self)
        }
        index += 1
      }
      found.append(byte)
    }
    return nil
  }

  /// As in JSON; a line break is a space, and behind a backslash nothing, with the spaces of the
  /// next line.
  private mutating func doubleQuoted() -> String? {
    var found: [UInt8] = []
    while index < text.count {
      let byte = text[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: found, as: UTF8.self)
      case UInt8(ascii: "\n"):
        skipSpace()
        found.append(UInt8(ascii: " "))
      case UInt8(ascii: "\\"):
        guard escape(into: &found) else { return nil }
      default: found.append(byte)
      }
    }
    return nil
  }

  private mutating func escape(into found: inout [UInt8]) -> Bool {
    guard index < text.count else { return false }
    let byte = text[index]
    index += 1
    switch byte {
    case UInt8(ascii: "\n"): skipSpace()
    case UInt8(ascii: "n"): found.append(UInt8(ascii: "\n"))
    case UInt8(ascii: "r"): found.append(UInt8(ascii: "\r"))
    case UInt8(ascii: "t"): found.append(UInt8(ascii: "\t"))
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): found.append(byte)
    case UInt8(ascii: "u"):
      guard let first = codeUnit() else { return false }
      guard UTF16.isLeadSurrogate(first) else {
        guard let scalar = Unicode.Scalar(first) else { return false }
        found += Array(String(scalar).utf8)
        return true
      }
      guard text[index...].starts(with: "\\u".utf8) else { return false }
      index += 2
      guard let second = codeUnit(), UTF16.isTrailSurrogate(second) else { return false }
      found += Array(String(decoding: [first, second], as: UTF16.self).utf8)
    default: return false
    }
    return true
  }

  private mutating func codeUnit() -> UInt16? {
    guard index + 4 <= text.count else { return nil }
    defer { index += 4 }
    return UInt16(String(decoding: text[index..<index + 4], as: UTF8.self), radix: 16)
  }
}
