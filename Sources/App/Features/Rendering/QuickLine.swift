internal import ASCII
internal import Crypto
internal import FoundationEssentials
internal import Rendering

/// What a recipient's line says, by places in the bytes that it stands in: as nearly all lines are,
/// with an installation or a user, with texts and whole numbers as arguments, and without escapes.
/// Anything else is read as any JSON is, which takes twenty times as long.
struct QuickLine: Sendable {
  /// Who gets it.
  enum Address: Sendable {
    case installation(UUID)
    /// A user's id.
    case user(Range<Int>)
  }

  /// The whole line.
  let line: Range<Int>
  let address: Address
  /// The parameters that it has arguments for, a bit each.
  let given: UInt64
  /// Where its arguments begin among those of all lines, one for each parameter.
  let firstArgument: Int
  let badge: Int?
  let collapseID: Range<Int>?
}

/// Reads lines quickly, for a message.
struct QuickLineReader: Sendable {
  /// The names of the parameters in UTF-8.
  let names: [[UInt8]]
  /// The parameters that take any text, a bit each.
  let texts: UInt64

  /// - Returns: `nil` when the message has more parameters than there are bits.
  init?(_ parameters: [(name: String, isText: Bool)]) {
    guard parameters.count <= 64 else { return nil }
    names = parameters.map { Array($0.name.utf8) }
    texts = parameters.enumerated().reduce(0) { $0 | ($1.element.isText ? 1 << $1.offset : 0) }
  }

  /// Reads a line.
  /// - Parameter arguments: Gets a range for each parameter, empty without an argument: that of a
  ///   text that may be anything is what stands between its quotation marks.
  /// - Returns: `nil` when it is not such a line; it may be one all the same.
  func read(
    _ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>, _ arguments: inout [Range<Int>]
  ) -> QuickLine? {
    var scanner = QuickScanner(bytes: bytes, index: line.lowerBound, end: line.upperBound)
    let first = arguments.count
    arguments.append(contentsOf: repeatElement(0..<0, count: names.count))
    guard let quick = read(&scanner, line, first, &arguments) else {
      arguments.removeLast(names.count)
      return nil
    }
    return quick
  }

  private func read(
    _ scanner: inout QuickScanner, _ line: Range<Int>, _ first: Int,
    _ arguments: inout [Range<Int>]
  ) -> QuickLine? {
    var address: QuickLine.Address?
    var given: UInt64?
    var badge: Int?
    var collapseID: Range<Int>?
    let isRead = scanner.object { scanner, name in
      if scanner.equals(name, "to"), address == nil {
        address = scanner.address()
        return address != nil
      }
      if scanner.equals(name, "arguments"), given == nil {
        given = readArguments(&scanner, first, &arguments)
        return given != nil
      }
      if scanner.equals(name, "badge"), badge == nil {
        badge = scanner.number().flatMap { scanner.integer($0) }
        return badge.map { (0...Int(Int32.max)).contains($0) } ?? false
      }
      if scanner.equals(name, "collapse_id"), collapseID == nil {
        collapseID = scanner.string().flatMap { scanner.isIdentifier($0) ? $0 : nil }
        return collapseID != nil
      }
      return false
    }
    guard isRead, scanner.isAtEnd, let address else { return nil }
    return QuickLine(
      line: line, address: address, given: given ?? 0, firstArgument: first, badge: badge,
      collapseID: collapseID)
  }

  /// - Returns: The parameters with an argument; `nil` when it cannot be told.
  private func readArguments(
    _ scanner: inout QuickScanner, _ first: Int, _ arguments: inout [Range<Int>]
  ) -> UInt64? {
    var given: UInt64 = 0
    let isRead = scanner.object { scanner, name in
      guard let index = names.firstIndex(where: { scanner.equals(name, $0) }) else { return false }
      let bit: UInt64 = 1 << index
      guard given & bit == 0 else { return false }
      given |= bit
      let value: Range<Int>?
      if texts & bit != 0 {
        value = scanner.string().flatMap { scanner.isPlain($0) ? $0 : nil }
      } else if scanner.isAtString {
        // With its quotation marks: another value than the number of the same digits.
        value = scanner.string().map { $0.lowerBound - 1..<$0.upperBound + 1 }
      } else {
        value = scanner.number()
      }
      guard let value else { return false }
      arguments[first + index] = value
      return true
    }
    return isRead ? given : nil
  }
}

/// Walks through JSON without escapes; each step fails at anything else.
private struct QuickScanner {
  let bytes: UnsafeBufferPointer<UInt8>
  var index: Int
  let end: Int

  private var current: UInt8 { index < end ? bytes[index] : 0 }

  private mutating func skipSpace() {
    while current == 0x20 || current == 0x09 || current == 0x0D { index += 1 }
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

  /// Whether a text stands in every text and header field as it is: not empty, without a percent
  /// sign, which a device's formatter would take, and without U+007F.
  func isPlain(_ range: Range<Int>) -> Bool {
    !range.isEmpty && range.count <= MessageLimits.argumentBytes
      && bytes[range].allSatisfy { $0 != UInt8(ascii: "%") && $0 != 0x7F }
  }

  /// Whether a plain text names no parameters.
  func isIdentifier(_ range: Range<Int>) -> Bool {
    isPlain(range)
      && bytes[range].allSatisfy { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "}") }
  }
}
