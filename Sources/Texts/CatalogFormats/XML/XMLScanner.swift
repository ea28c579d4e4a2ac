internal import ASCII

/// The tokens of `XMLReader`.
struct XMLScanner {
  let bytes: [UInt8]
  var index = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The byte at the cursor; nil at the end.
  var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

  func starts(with text: StaticString) -> Bool {
    guard index + text.utf8CodeUnitCount <= bytes.count else { return false }
    return text.withUTF8Buffer { buffer in
      for place in 0..<buffer.count where bytes[index + place] != buffer[place] { return false }
      return true
    }
  }

  func name(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  func failure(_ reason: String, at range: Range<Int>? = nil) -> Finding {
    Finding(
      offset: range?.lowerBound ?? index, code: .malformedXML,
      message: "The XML cannot be read: \(reason).")
  }

  /// Skips blanks, and returns whether there were any.
  @discardableResult
  mutating func skipBlanks() -> Bool {
    let start = index
    while let byte, byte.isXMLBlank { index += 1 }
    return index > start
  }

  /// `<?xml … encoding="…"?>`: only encodings that are known, see ``DeclaredEncoding``; the bytes
  /// have been read already.
  mutating func declaration() throws(Finding) {
    guard starts(with: "<?xml"), bytes.count > 5, bytes[5].isXMLBlank else { return }
    index += 5
    while skipBlanks(), byte != UInt8(ascii: "?") {
      let start = index
      let (name, value) = try readAttribute()
      guard !name.isSpelled(like: "encoding") || DeclaredEncoding(named: value) != nil else {
        throw Finding(
          offset: start, code: .invalidEncoding,
          message: "The encoding '\(value.quoted)' is not read: write the file in UTF-8.")
      }
    }
    guard starts(with: "?>") else { throw failure("'?>' is missing") }
    index += 2
  }

  /// `<!DOCTYPE …>` without declarations in brackets.
  mutating func skipDocumentType() throws(Finding) {
    let start = index
    var quote: UInt8?
    while let byte {
      index += 1
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "[") {
        throw failure(
          "it declares entities of its own, which are never expanded", at: start..<index)
      } else if byte == UInt8(ascii: ">") {
        return
      }
    }
    throw failure("the document type is not closed", at: start..<index)
  }

  /// A comment or processing instruction, which must start here.
  mutating func skipAside() throws(Finding) {
    if starts(with: "<!--") {
      index = try place(of: "-->", behind: 4) + 3
    } else {
      index = try place(of: "?>", behind: 2) + 2
    }
  }

  /// `<![CDATA[…]]>`, which must start here.
  mutating func readCharacterData(into buffer: inout [UInt8]) throws(Finding) {
    let end = try place(of: "]]>", behind: 9)
    index += 9
    while index < end {
      if bytes[index] == UInt8(ascii: "&") {
        buffer.append(bytes[index])
        index += 1
      } else {
        try readCharacter(into: &buffer, lineEnd: UInt8(ascii: "\n"))
      }
    }
    index = end + 3
  }

  /// The end of the piece that starts here: the next place of `text` behind `count` bytes.
  private func place(of text: StaticString, behind count: Int) throws(Finding) -> Int {
    var scanner = self
    scanner.index += count
    while scanner.index < bytes.count {
      if scanner.starts(with: text) { return scanner.index }
      scanner.index += 1
    }
    throw failure("'\(text)' is missing")
  }

  /// A name of an element or attribute.
  mutating func readName() throws(Finding) -> Range<Int> {
    let start = index
    while let byte, byte.isXMLNameByte { index += 1 }
    guard index > start, !(0x2D...0x39).contains(bytes[start]) else {
      throw failure("a name was expected", at: start..<start)
    }
    return start..<index
  }

  /// `name = "value"`.
  mutating func readAttribute() throws(Finding) -> (name: String, value: String) {
    let name = name(try readName())
    skipBlanks()
    guard byte == UInt8(ascii: "=") else { throw failure("'=' is missing behind an attribute") }
    index += 1
    skipBlanks()
    guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw failure("a quoted value was expected")
    }
    index += 1
    let start = index
    var buffer: [UInt8] = []
    while let byte, byte != quote {
      switch byte {
      case UInt8(ascii: "<"): throw failure("'<' cannot stand in an attribute")
      case UInt8(ascii: "\t"), UInt8(ascii: "\n"):
        buffer.append(UInt8(ascii: " "))
        index += 1
      default: try readCharacter(into: &buffer, lineEnd: UInt8(ascii: " "))
      }
    }
    guard byte != nil else { throw failure("this value is not closed", at: start..<index) }
    index += 1
    return (name, String(decoding: buffer, as: UTF8.self))
  }

  /// Moves to the next `<`; false when it stops before one, at something to be replaced.
  mutating func skipSimpleText() -> Bool {
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "<"): return true
      case UInt8(ascii: "&"), UInt8(ascii: "\r"), 0: return false
      default: index += 1
      }
    }
    return true
  }

  /// One byte, line end or reference.
  mutating func readCharacter(into buffer: inout [UInt8], lineEnd: UInt8) throws(Finding) {
    let byte = bytes[index]
    switch byte {
    case UInt8(ascii: "&"): try readReference(into: &buffer)
    case UInt8(ascii: "\r"):
      index += index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n") ? 2 : 1
      buffer.append(lineEnd)
    case 0: throw nul
    default:
      index += 1
      buffer.append(byte)
    }
  }

  /// `&amp;`, `&#233;`, `&#xE9;`.
  private mutating func readReference(into buffer: inout [UInt8]) throws(Finding) {
    let start = index + 1
    // The longest is `#x10FFFF`; nobody writes zeros before it.
    let end = bytes[start...].prefix(Limits.referenceBytes).firstIndex(of: UInt8(ascii: ";"))
    guard let end else { throw failure("'&' is no reference and must be written '&amp;'") }
    switch name(start..<end) {
    case "amp": buffer.append(UInt8(ascii: "&"))
    case "lt": buffer.append(UInt8(ascii: "<"))
    case "gt": buffer.append(UInt8(ascii: ">"))
    case "quot": buffer.append(UInt8(ascii: "\""))
    case "apos": buffer.append(UInt8(ascii: "'"))
    case let number:
      guard let scalar = Self.scalar(number) else {
        throw failure("'&\(number);' stands for no character")
      }
      guard scalar.value != 0 else { throw nul }
      buffer += Array(String(scalar).utf8)
    }
    index = end + 1
  }

  private static func scalar(_ reference: String) -> Unicode.Scalar? {
    let isHexadecimal = reference.hasBytes(atStart: "#x")
    let digits = reference.dropFirst(isHexadecimal ? 2 : 1)
    guard reference.hasBytes(atStart: "#"), digits.first?.isHexDigit == true,
      let value = UInt32(digits, radix: isHexadecimal ? 16 : 10)
    else { return nil }
    return Unicode.Scalar(value)
  }

  private var nul: Finding {
    Finding(
      offset: index, code: .nulCharacter,
      message: "The file holds the character U+0000, which can be neither shown nor stored.")
  }
}

extension UInt8 {
  var isXMLBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

  /// All characters beyond ASCII are taken.
  fileprivate var isXMLNameByte: Bool {
    switch self {
    case 0x61...0x7A, 0x41...0x5A, 0x30...0x3A, 0x5F, 0x2D, 0x2E, 0x80...: true
    default: false
    }
  }
}
