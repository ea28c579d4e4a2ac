internal import ASCII

/// Appends JSON text to a byte buffer: compact, members as the caller orders them, nothing escaped
/// that need not be.
///
/// Foundation's encoder spends about ten times as long on a payload and forty times as long on an
/// installation, and a payload must be embedded in an answer without being encoded twice. APNs
/// counts its bytes, so `/` and non-ASCII characters stay as they are (RFC 8259 section 7 asks only
/// for `"`, `\` and control characters).
public struct JSONWriter: Sendable {
  /// What has been written so far, UTF-8.
  public private(set) var bytes: [UInt8] = []
  /// The words that were left out; none unless the writer was asked to leave gaps.
  public private(set) var gaps: [JSONGap] = []
  private let leavesGaps: Bool

  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// An empty buffer with room for a number of bytes.
  /// - Parameter leavesGaps: Whether a ``JSONGap/mark(_:)`` in a string is left out and noted.
  public init(capacity: Int = 512, leavesGaps: Bool = false) {
    self.leavesGaps = leavesGaps
    bytes.reserveCapacity(capacity)
  }

  /// Writes an object; the closure writes its members with ``key(_:)`` and a value each.
  public mutating func object(_ members: (inout JSONWriter) -> Void) {
    separate()
    bytes.append(UInt8(ascii: "{"))
    members(&self)
    bytes.append(UInt8(ascii: "}"))
  }

  /// Writes an array; the closure writes its elements.
  public mutating func array(_ elements: (inout JSONWriter) -> Void) {
    separate()
    bytes.append(UInt8(ascii: "["))
    elements(&self)
    bytes.append(UInt8(ascii: "]"))
  }

  /// Writes an array of values; `write` writes one of them.
  public mutating func array<Element>(
    _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
  ) {
    array { writer in for element in elements { write(&writer, element) } }
  }

  /// Writes a member's name; its value must follow.
  public mutating func key(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
  }

  public mutating func string(_ value: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    var value = value
    value.withUTF8 { append(escaping: $0) }
    bytes.append(UInt8(ascii: "\""))
  }

  public mutating func integer(_ value: Int64) {
    separate()
    bytes.append(contentsOf: value.description.utf8)
  }

  public mutating func bool(_ value: Bool) { token(value ? "true" : "false") }

  public mutating func null() { token("null") }

  /// Writes a member with a string, or null.
  public mutating func member(_ name: String, _ value: String?) {
    key(name)
    if let value { string(value) } else { null() }
  }

  public mutating func member(_ name: String, _ values: [String]) {
    key(name)
    array(values) { $0.string($1) }
  }

  /// Writes a member with a whole number, or null.
  public mutating func member(_ name: String, _ value: (some BinaryInteger)?) {
    key(name)
    if let value { integer(Int64(value)) } else { null() }
  }

  public mutating func member(_ name: String, _ value: Bool) {
    key(name)
    bool(value)
  }

  public mutating func member(_ name: String, _ value: some JSONWritable) {
    key(name)
    value.write(to: &self)
  }

  /// Writes a value of any kind; an object's members in the order of their names' bytes.
  public mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let flag): bool(flag)
    case .integer(let number): integer(number)
    case .double(let number): double(number)
    case .longNumber(let text): raw(text.utf8)
    case .string(let text): string(text)
    case .array(let elements):
      array(elements) { $0.value($1) }
    case .object(let members):
      object { $0.members(members.inOrder) }
    }
  }

  /// Writes members in the order given.
  public mutating func members(_ members: some Sequence<(key: String, value: JSONValue)>) {
    for (key, value) in members {
      self.key(key)
      self.value(value)
    }
  }

  /// Writes text that is one JSON value already.
  public mutating func raw(_ json: some Collection<UInt8>) {
    separate()
    bytes.append(contentsOf: json)
  }

  /// Writes text that is one JSON value already, but for its gaps.
  public mutating func raw(_ json: some Collection<UInt8>, gaps: [JSONGap]) {
    separate()
    self.gaps += gaps.map { JSONGap(offset: bytes.count + $0.offset, word: $0.word) }
    bytes.append(contentsOf: json)
  }

  /// Leaves a gap for a whole value, such as a number.
  public mutating func gap(_ word: Int) {
    separate()
    gaps.append(JSONGap(offset: bytes.count, word: word))
  }

  private mutating func token(_ text: StaticString) {
    separate()
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  private mutating func double(_ value: Double) {
    // JSON has no infinities; they cannot come from JSON either.
    guard value.isFinite else { return null() }
    separate()
    let text = value.description
    bytes.append(contentsOf: text.hasSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8)
  }

  /// Writes a comma, unless this is the first thing in its object or array, or a member's value.
  /// The last byte tells: no complete value ends with one of these bytes. Only a member whose value
  /// was left out as a gap ends with `:`.
  private mutating func separate() {
    switch bytes.last {
    case nil, UInt8(ascii: "{"), UInt8(ascii: "["): return
    case UInt8(ascii: ":") where gaps.last?.offset != bytes.count: return
    default: bytes.append(UInt8(ascii: ","))
    }
  }

  private mutating func append(escaping text: UnsafeBufferPointer<UInt8>) {
    var start = 0
    for (index, byte) in text.enumerated() {
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
        if leavesGaps, byte == JSONGap.firstByte, let word = JSONGap.word(at: index, in: text) {
          bytes.append(contentsOf: text[start..<index])
          gaps.append(JSONGap(offset: bytes.count, word: word))
          start = index + JSONGap.markBytes
        }
        continue
      }
      bytes.append(contentsOf: text[start..<index])
      appendEscape(byte)
      start = index + 1
    }
    bytes.append(contentsOf: text[start...])
  }

  private mutating func appendEscape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\n"): bytes.append(UInt8(ascii: "n"))
    case UInt8(ascii: "\r"): bytes.append(UInt8(ascii: "r"))
    case UInt8(ascii: "\t"): bytes.append(UInt8(ascii: "t"))
    case 0..<0x20:
      let digits = Array("0123456789abcdef".utf8)
      bytes.append(contentsOf: "u00".utf8)
      bytes.append(digits[Int(byte >> 4)])
      bytes.append(digits[Int(byte & 15)])
    default: bytes.append(byte)
    }
  }
}

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
  public func write(to writer: inout JSONWriter) {
    writer.array(self) { $1.write(to: &$0) }
  }
}
