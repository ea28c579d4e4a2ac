internal import FoundationEssentials
internal import JSON

/// A recipient's line that was read quickly: the places of its values in the bytes. Nearly all
/// lines can be read so: they have an installation or a user, texts and whole numbers as arguments,
/// and no escapes. Any other line is read like any JSON, which takes twenty times as long.
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
  /// Where its arguments are among those of all lines: one for each parameter, and at the end the
  /// collapse id.
  let arguments: Range<Int>
  let badge: Int?
  let hasCollapseID: Bool
}

/// Reads lines quickly, for a message.
struct QuickLineReader: Sendable {
  /// The names of the parameters in UTF-8.
  let names: [[UInt8]]
  /// The parameters that take any text, a bit each.
  let texts: UInt64

  /// - Returns: `nil` when the message has more parameters than a form has words.
  init?(_ parameters: [(name: String, isText: Bool)]) {
    guard parameters.count < JSONGap.words else { return nil }
    names = parameters.map { Array($0.name.utf8) }
    texts = parameters.enumerated().reduce(0) { $0 | ($1.element.isText ? 1 << $1.offset : 0) }
  }

  /// Reads a line.
  /// - Parameter arguments: Gets a range for each parameter and one for the collapse id; an empty
  ///   one if it is not there. The range of a text is without its quotation marks.
  /// - Returns: `nil` when it cannot be read quickly.
  func read(
    _ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>, _ arguments: inout [Range<Int>]
  ) -> QuickLine? {
    var scanner = QuickScanner(bytes: bytes, index: line.lowerBound, end: line.upperBound)
    let first = arguments.count
    arguments.append(contentsOf: repeatElement(0..<0, count: names.count + 1))
    guard let quick = read(&scanner, line, first, &arguments) else {
      arguments.removeLast(names.count + 1)
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
    var hasCollapseID = false
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
      if scanner.equals(name, "collapse_id"), !hasCollapseID, let id = scanner.string(),
        scanner.isIdentifier(id)
      {
        arguments[first + names.count] = id
        hasCollapseID = true
        return true
      }
      return false
    }
    guard isRead, scanner.isAtEnd, let address else { return nil }
    return QuickLine(
      line: line, address: address, given: given ?? 0,
      arguments: first..<first + names.count + 1, badge: badge, hasCollapseID: hasCollapseID)
  }

  /// Reads the object of the arguments.
  /// - Parameter arguments: Has a place for each parameter from `first` on.
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

extension LineForms.Key {
  /// The kind of a line that was read quickly.
  /// - Parameters:
  ///   - bytes: What it stands in.
  ///   - arguments: The arguments of this line and of others.
  ///   - texts: The parameters that take any text, a bit each.
  init(
    _ quick: QuickLine, in bytes: [UInt8], _ arguments: [Range<Int>], _ texts: UInt64,
    _ circumstances: NumberedCircumstances
  ) {
    var rest = quick.given & ~texts
    var fixed: [UInt8] = []
    while rest != 0 {
      fixed += bytes[arguments[quick.arguments.lowerBound + rest.trailingZeroBitCount]]
      fixed.append(0)
      rest &= rest - 1
    }
    self.init(
      circumstances: circumstances.number, given: quick.given, badge: quick.badge,
      hasCollapseID: quick.hasCollapseID, fixed: fixed)
  }
}
