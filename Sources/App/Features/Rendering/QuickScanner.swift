internal import ASCII
internal import Crypto
internal import FoundationEssentials
internal import Rendering

/// Walks through JSON without escapes; each step fails at anything else.
struct QuickScanner {
  let bytes: UnsafeBufferPointer<UInt8>
  var index: Int
  let end: Int

  private var current: UInt8 { index < end ? bytes[index] : 0 }

  private mutating func skipSpace() {
    while current == 0x20 || current == 0x09 || current == 0x0D || current == 0x0A { index += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard current == byte else { return false }
    index += 1
    return true
  }

  /// Whether nothing but space is left.
  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return index == end
    }
  }

  /// Whether a string comes next.
  var isAtString: Bool {
    mutating get {
      skipSpace()
      return current == UInt8(ascii: "\"")
    }
  }

  /// Walks through an object; `member` reads the value of a name, and tells whether it could.
  mutating func object(_ member: (inout Self, Range<Int>) -> Bool) -> Bool {
    guard take(UInt8(ascii: "{")) else { return false }
    if take(UInt8(ascii: "}")) { return true }
    while true {
      guard let name = string(), take(UInt8(ascii: ":")), member(&self, name) else { return false }
      if take(UInt8(ascii: "}")) { return true }
      guard take(UInt8(ascii: ",")) else { return false }
    }
  }

  /// The range between the quotation marks of a string.
  mutating func string() -> Range<Int>? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    let start = index
    while index < end {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        defer { index += 1 }
        return start..<index
      }
      guard byte >= 0x20, byte != UInt8(ascii: "\\") else { return nil }
      index += 1
    }
    return nil
  }

  /// The range of a whole number of at most 18 digits.
  mutating func number() -> Range<Int>? {
    skipSpace()
    let start = index
    if current == UInt8(ascii: "-") { index += 1 }
    let digits = index
    while current.isASCIIDigit { index += 1 }
    let count = index - digits
    guard (1...18).contains(count), count == 1 || bytes[digits] != UInt8(ascii: "0") else {
      return nil
    }
    switch current {
    case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): return nil
    default: return start..<index
    }
  }

  /// The value of ``number()``.
  func integer(_ range: Range<Int>) -> Int? {
    Int(String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self))
  }

  /// The `to` of an installation or a user.
  mutating func address() -> QuickLine.Address? {
    var address: QuickLine.Address?
    let isRead = object { scanner, name in
      guard address == nil, let value = scanner.string() else { return false }
      if scanner.equals(name, "installation") {
        let text = String(
          decoding: UnsafeBufferPointer(rebasing: scanner.bytes[value]), as: UTF8.self)
        address = UUID(text: text).map(QuickLine.Address.installation)
      } else if scanner.equals(name, "user"), (1...256).contains(value.count) {
        address = .user(value)
      }
      return address != nil
    }
    return isRead ? address : nil
  }

  func equals(_ range: Range<Int>, _ name: StaticString) -> Bool {
    range.count == name.utf8CodeUnitCount
      && bytes[range].elementsEqual(
        UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }

  func equals(_ range: Range<Int>, _ name: [UInt8]) -> Bool {
    range.count == name.count && bytes[range].elementsEqual(name)
  }

  /// Whether a text can be a word of a form.
  func isPlain(_ range: Range<Int>) -> Bool {
    !range.isEmpty && range.count <= MessageLimits.argumentBytes
      && bytes[range].allSatisfy(RequestForm.Words.takes)
  }

  /// Whether a plain text names no parameters.
  func isIdentifier(_ range: Range<Int>) -> Bool {
    isPlain(range)
      && bytes[range].allSatisfy { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "}") }
  }
}
