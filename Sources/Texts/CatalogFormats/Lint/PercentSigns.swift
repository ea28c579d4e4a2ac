internal import Localization

/// The parts of a format, each with whether it is a percent sign that should be written `%%`.
///
/// | part | a percent sign |
/// |---|---|
/// | `%y`, `%,` and `%` at the end | yes: no placeholder |
/// | `% o` of `50% off`, `%5 i`, `%-o` of `%-os` | yes: nobody means them |
/// | `% d` of `50 % de`, `%@ % de`, `%-i` of `50%-ige` | yes: behind a number or a placeholder |
/// | `%-8d`, `%+.1f` | no: numbers with a width or a sign |
/// | `% d` of `(% d)` | no: machines translate `(%d)` so, and it shows the number all the same |
/// | `% @` | no: machines translate `%@` so, and it shows the argument all the same |
struct PercentSigns: Sequence, IteratorProtocol {
  private let bytes: [UInt8]
  private var parser: FormatParser
  /// The text behind the last placeholder.
  private var before = 0..<0
  private var followsPlaceholder = false

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    parser = FormatParser(bytes[...])
  }

  mutating func next() -> (part: FormatPart, isPercentSign: Bool)? {
    guard let part = parser.next() else { return nil }
    switch part {
    case .text(let range):
      before = range
      return (part, false)
    case .escaped(let shown, let whole):
      let isOne = shown.count == 1 && bytes[shown.lowerBound] == UInt8(ascii: "%")
      before = whole
      followsPlaceholder = false
      return (part, !isOne)
    case .incomplete: return (part, true)
    case .specifier(let specifier, let range):
      let isPercentSign = specifier.mayBePercentSign && isPercentSign(specifier)
      before = range.upperBound..<range.upperBound
      followsPlaceholder = true
      return (part, isPercentSign)
    }
  }

  /// Judges a placeholder that may be meant as a percent sign and a word.
  private func isPercentSign(_ specifier: FormatSpecifier) -> Bool {
    switch specifier.conversion {
    case .integer, .fixed:
      followsNumber
        || specifier.flags.contains(.space)
          && (specifier.width != nil || specifier.precision != nil)
    default: followsNumber || specifier.flags.contains(.space) || specifier.width == nil
    }
  }

  private var followsNumber: Bool {
    // A number and its blanks end within a few bytes.
    let text = String(decoding: bytes[before].suffix(16), as: UTF8.self)
    guard let last = text.last(where: { !$0.isWhitespace }) else { return followsPlaceholder }
    return last.isNumber
  }
}
