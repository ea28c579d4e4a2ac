/// Texts of others on a terminal: what they hold must not move its cursor or change its colours.
enum Printable {
  /// The text with spaces for tabs and ends of lines, and U+FFFD for other controls and for marks
  /// that turn the direction of what follows.
  static func line(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map(clean)))
  }

  private static func clean(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: " "
    case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: "\u{FFFD}"
    default: scalar
    }
  }
}
