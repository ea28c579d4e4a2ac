// libexpat and Foundation's `XMLParser` were measured and not taken: docs/decisions/xml-reader.md.

internal import ASCII

/// Reads XML 1.0 event by event, without recursion, from valid UTF-8.
///
/// Elements, attributes, texts, CDATA, comments and processing instructions are read, and the five
/// predefined entities and numeric ones. A document that declares entities of its own (a DOCTYPE
/// with brackets) is refused: nothing is ever expanded or loaded. Line ends become U+000A, in
/// attributes a space. Text that is no XML to the letter but can mean one thing only is let
/// through, as CoreFoundation does: control characters other than U+0000, `]]>` in a text, a
/// declaration or DOCTYPE out of place or misspelt. Source: XML 1.0, Fifth Edition.
struct XMLReader {
  /// One thing of the document.
  enum Event {
    case start(Tag)
    /// The end of the element opened last; an empty element `<x/>` has one, too.
    case end
    /// All characters up to the next tag; `text` has them.
    case text
  }

  /// A start tag.
  struct Tag {
    /// The name without its prefix; a long one, which no format has, is shortened.
    var name: Spelling
    /// In order; names are whole, `xml:space`.
    var attributes: [(name: String, value: String)] = []
    /// Where the `<` is.
    var offset: Int

    subscript(attribute: String) -> String? {
      attributes.first { $0.name.isSpelled(like: attribute) }?.value
    }
  }

  private var scanner: XMLScanner
  private var open: [Range<Int>] = []
  private var hasRoot = false
  private var endIsDue = false
  private var plain: Range<Int>?
  private var buffer: [UInt8] = []
  /// Where the last event starts.
  private(set) var offset = 0

  /// A reader of `text`, which has neither been checked nor read by then.
  init(_ text: [UInt8]) throws(Finding) {
    scanner = XMLScanner(text)
    try scanner.declaration()
  }

  /// The characters of the last text.
  var text: String {
    guard let plain else { return String(decoding: buffer, as: UTF8.self) }
    return String(decoding: scanner.bytes[plain], as: UTF8.self)
  }

  /// Whether the last text is made of blanks only.
  var textIsBlank: Bool {
    plain.map { scanner.bytes[$0].allSatisfy(\.isXMLBlank) } ?? buffer.allSatisfy(\.isXMLBlank)
  }

  /// The next event; nil at the end of the document.
  mutating func next() throws(Finding) -> Event? {
    try Finding.checkCancellation()
    if endIsDue {
      endIsDue = false
      open.removeLast()
      return .end
    }
    while let byte = scanner.byte {
      offset = scanner.index
      guard !open.isEmpty else {
        if let tag = try outside(byte) { return .start(tag) }
        continue
      }
      if byte == UInt8(ascii: "<"), let tag = try markup() { return tag }
      if try readText() { return .text }
    }
    if let name = open.last {
      throw scanner.failure("the element '\(scanner.name(name).quoted)' is not closed", at: name)
    }
    guard hasRoot else { throw scanner.failure("it has no element") }
    return nil
  }

  /// Reads up to and including the end of the element opened last, and keeps nothing of it.
  mutating func skip() throws(Finding) {
    let depth = open.count
    while open.count >= depth, try next() != nil {}
  }

  /// Reads the next piece before or behind the root element.
  private mutating func outside(_ byte: UInt8) throws(Finding) -> Tag? {
    if byte.isXMLBlank {
      scanner.index += 1
    } else if scanner.starts(with: "<?") || scanner.starts(with: "<!--") {
      try scanner.skipAside()
    } else if scanner.starts(with: "<!DOCTYPE"), !hasRoot {
      try scanner.skipDocumentType()
    } else if byte == UInt8(ascii: "<"), !hasRoot {
      hasRoot = true
      return try startTag()
    } else {
      throw scanner.failure("there is text outside of the root element")
    }
    return nil
  }

  /// A tag; nil when the characters here belong to a text.
  private mutating func markup() throws(Finding) -> Event? {
    guard !scanner.starts(with: "<!"), !scanner.starts(with: "<?") else { return nil }
    guard scanner.starts(with: "</") else { return .start(try startTag()) }
    scanner.index += 2
    let name = try scanner.readName()
    scanner.skipBlanks()
    guard let start = open.last, scanner.bytes[start] == scanner.bytes[name],
      scanner.byte == UInt8(ascii: ">")
    else {
      let expected = open.last.map(scanner.name) ?? ""
      throw scanner.failure("'</\(expected.quoted)>' was expected", at: offset..<offset)
    }
    scanner.index += 1
    open.removeLast()
    return .end
  }

  private mutating func startTag() throws(Finding) -> Tag {
    guard open.count < Limits.nesting else {
      throw Finding(
        offset: offset, code: .limitExceeded,
        message: "Elements are nested deeper than \(Limits.nesting) levels.")
    }
    scanner.index += 1
    let name = try scanner.readName()
    open.append(name)
    let local = scanner.bytes[name].lastIndex(of: UInt8(ascii: ":")).map { $0 + 1 }
    var tag = Tag(
      name: Spelling(
        scanner.name((local ?? name.lowerBound)..<name.upperBound).shortened(to: Limits.wordBytes)),
      offset: offset)
    while true {
      let hadBlank = scanner.skipBlanks()
      if scanner.starts(with: "/>") {
        scanner.index += 2
        endIsDue = true
        return tag
      }
      if scanner.byte == UInt8(ascii: ">") {
        scanner.index += 1
        return tag
      }
      guard hadBlank else { throw scanner.failure("this tag is not closed") }
      let start = scanner.index
      let attribute = try scanner.readAttribute()
      guard tag.attributes.count < Limits.attributes else {
        throw Finding(
          offset: start, code: .limitExceeded,
          message: "An element has more than \(Limits.attributes) attributes.")
      }
      guard tag[attribute.name] == nil else {
        throw scanner.failure("an attribute occurs twice", at: start..<start)
      }
      tag.attributes.append(attribute)
    }
  }

  /// Reads characters up to the next tag; false when there are none but comments.
  private mutating func readText() throws(Finding) -> Bool {
    let start = scanner.index
    let isSimple = scanner.skipSimpleText()
    if isSimple, !scanner.starts(with: "<!"), !scanner.starts(with: "<?") {
      plain = start..<scanner.index
      return start < scanner.index
    }
    plain = nil
    buffer = Array(scanner.bytes[start..<scanner.index])
    while let byte = scanner.byte {
      if byte != UInt8(ascii: "<") {
        try scanner.readCharacter(into: &buffer, lineEnd: UInt8(ascii: "\n"))
      } else if scanner.starts(with: "<![CDATA[") {
        try scanner.readCharacterData(into: &buffer)
      } else if scanner.starts(with: "<!--") || scanner.starts(with: "<?") {
        try scanner.skipAside()
      } else if scanner.starts(with: "<!") {
        throw scanner.failure("a declaration cannot stand here")
      } else {
        break
      }
    }
    return !buffer.isEmpty
  }
}
