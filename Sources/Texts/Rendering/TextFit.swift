import JSON

/// Cuts a text so that it fits into a payload: to the longest beginning of whole graphemes that,
/// with an ellipsis, takes no more than a number of bytes.
///
/// Bytes are counted as they stand in the JSON (see `JSONWriter`): `"` and `\` take two, a line
/// break two, another control character six.
///
/// | text | bytes | becomes |
/// |---|---|---|
/// | `Hello` | 5 | `Hello` |
/// | `Hello` | 4 | `H…` |
/// | `👩‍🚀 off` | 14 | `👩‍🚀…` |
/// | `👩‍🚀 off` | 13 | `…` |
/// | `a"b"c` | 6 | `a"…` |
/// | `Hello` | 2 | nothing |
public struct TextFit: Sendable {
  /// The character that stands for the rest of a text.
  public static let ellipsis = "…"
  public static let ellipsisBytes = ellipsis.utf8.count

  /// Whether each percent sign is written twice, as a device's formatter wants it: a pair is never
  /// cut apart.
  public let doublesPercent: Bool

  public init(doublesPercent: Bool = false) {
    self.doublesPercent = doublesPercent
  }

  /// How many bytes a text takes between its quotation marks.
  public func bytes(of text: some StringProtocol) -> Int {
    text.utf8.reduce(0) { $0 + bytes(of: $1) }
  }

  /// The text, as much of it as fits; nil when not even the ellipsis does.
  public func fitted(_ text: String, into budget: Int) -> String? {
    if bytes(of: text) <= budget { return text }
    var left = budget - Self.ellipsisBytes
    guard left >= 0 else { return nil }
    var end = text.startIndex
    while end < text.endIndex {
      let next = text.index(after: end)
      left -= bytes(of: text[end..<next])
      guard left >= 0 else { break }
      end = next
    }
    return String(text[..<end]) + Self.ellipsis
  }

  private func bytes(of byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "\n"), UInt8(ascii: "\r"),
      UInt8(ascii: "\t"):
      2
    case 0..<0x20: 6
    case UInt8(ascii: "%") where doublesPercent: 2
    default: 1
    }
  }
}
