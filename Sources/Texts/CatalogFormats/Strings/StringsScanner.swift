internal import ASCII

/// Reads the tokens of an old-style property list from valid UTF-8: blanks, comments, strings.
struct StringsScanner {
  let bytes: [UInt8]
  var index = 0
  var findings: FindingList
  /// Where the first U+0000 of a string is.
  var nulOffset: Int?
  /// Where a comment begins that is never closed.
  private(set) var openComment: Int?
  /// Whether this U+0000 is an escape `\U` without digits.
  private(set) var lacksDigits = false

  init(_ bytes: [UInt8], findings: FindingList) {
    self.bytes = bytes
    self.findings = findings
  }

  /// The byte at the cursor; nil at the end.
  var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

  mutating func warn(_ code: Diagnostic.Code, at offset: Int, _ message: String) {
    findings.warn(code, at: offset, message)
  }

  /// Moves past blanks and comments; false at the end of the file.
  mutating func skipBlanks() -> Bool {
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case 0x09...0x0D, 0x20:
        index += 1
      case 0xE2 where isLineSeparator(at: index):
        index += 3
      case UInt8(ascii: "/") where index + 1 < bytes.count:
        if bytes[index + 1] == UInt8(ascii: "/") {
          skipLineComment()
        } else if bytes[index + 1] == UInt8(ascii: "*") {
          skipBlockComment()
        } else {
          return true
        }
      default:
        return true
      }
    }
    return false
  }

  private mutating func skipLineComment() {
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { return }
      if byte == 0xE2, isLineSeparator(at: index) { return }
      index += 1
    }
  }

  private mutating func skipBlockComment() {
    let start = index
    index += 2
    while index + 1 < bytes.count {
      if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") {
        index += 2
        return
      }
      index += 1
    }
    index = bytes.count
    openComment = start
  }

  /// U+2028 or U+2029.
  private func isLineSeparator(at offset: Int) -> Bool {
    offset + 2 < bytes.count && bytes[offset + 1] == 0x80
      && (bytes[offset + 2] == 0xA8 || bytes[offset + 2] == 0xA9)
  }

  /// Whether a string can start at the cursor.
  var startsString: Bool {
    guard let byte else { return false }
    return byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || Self.isUnquoted(byte)
  }

  /// Reads a quoted or unquoted string; `startsString` must hold.
  mutating func string() throws(Finding) -> String {
    let start = index
    if Self.isUnquoted(bytes[index]) {
      while index < bytes.count, Self.isUnquoted(bytes[index]) { index += 1 }
      return String(decoding: bytes[start..<index], as: UTF8.self)
    }
    let quote = bytes[index]
    index += 1
    while index < bytes.count {
      let byte = bytes[index]
      if byte == quote {
        index += 1
        return String(decoding: bytes[start + 1..<index - 1], as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\") { return try escapedString(start: start, quote: quote) }
      if byte == 0 { noteNul(at: index) }
      index += 1
    }
    throw unterminated(start)
  }

  /// The slow path, from the first backslash on.
  private mutating func escapedString(start: Int, quote: UInt8) throws(Finding) -> String {
    var text = EscapedText(prefix: bytes[start + 1..<index])
    while index < bytes.count {
      let byte = bytes[index]
      if byte == quote {
        index += 1
        return text.finish()
      }
      if byte == 0 { noteNul(at: index) }
      index += 1
      if byte == UInt8(ascii: "\\") {
        try escape(into: &text, start: start)
      } else {
        text.append(utf8: byte)
      }
    }
    throw unterminated(start)
  }

  /// Reads what follows a backslash.
  private mutating func escape(into text: inout EscapedText, start: Int) throws(Finding) {
    guard index < bytes.count else { throw unterminated(start) }
    let byte = bytes[index]
    if byte == 0 { noteNul(at: index) }
    index += 1
    switch byte {
    case UInt8(ascii: "a"): text.append(utf8: 0x07)
    case UInt8(ascii: "b"): text.append(utf8: 0x08)
    case UInt8(ascii: "f"): text.append(utf8: 0x0C)
    case UInt8(ascii: "n"): text.append(utf8: 0x0A)
    case UInt8(ascii: "r"): text.append(utf8: 0x0D)
    case UInt8(ascii: "t"): text.append(utf8: 0x09)
    case UInt8(ascii: "v"): text.append(utf8: 0x0B)
    case UInt8(ascii: "U"):
      let start = index
      let unit = number(digits: 4, radix: 16)
      if unit == 0 { noteNul(at: index, lacksDigits: index == start) }
      text.append(utf16: unit)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      index -= 1
      let unit = NextStepLatin.utf16Unit(UInt8(truncatingIfNeeded: number(digits: 3, radix: 8)))
      if unit == 0 { noteNul(at: index) }
      text.append(utf16: unit)
    default:
      if byte == UInt8(ascii: "u") {
        warn(.suspiciousEscape, at: index - 2, "Only \\U is a Unicode escape; \\u is the letter u.")
      }
      text.append(utf8: byte)
    }
  }

  private mutating func number(digits: Int, radix: UInt16) -> UInt16 {
    var value: UInt16 = 0
    let end = min(index + digits, bytes.count)
    while index < end, let digit = bytes[index].hexDigit, digit < radix {
      value = value * radix + UInt16(digit)
      index += 1
    }
    return value
  }

  /// `[A-Za-z0-9_$/:.-]`
  static func isUnquoted(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      // "." "/" and the digits to ":" are neighbours in ASCII, and so is "-" before them.
      UInt8(ascii: "-")...UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "$"):
      true
    default: false
    }
  }

  private func unterminated(_ start: Int) -> Finding {
    Finding(offset: start, code: .unterminatedString, message: "This quoted string is not closed.")
  }

  private mutating func noteNul(at offset: Int, lacksDigits: Bool = false) {
    guard nulOffset == nil else { return }
    nulOffset = offset
    self.lacksDigits = lacksDigits
  }
}
