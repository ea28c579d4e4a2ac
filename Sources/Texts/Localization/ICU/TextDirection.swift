// Swift's own Unicode properties lack the bidirectional class. `_FoundationICU` is an underscored
// module of the toolchain, so it is touched in this folder only.

internal import _FoundationICU

enum TextDirection: Sendable {
  case leftToRight
  case rightToLeft

  /// The direction of the first strong character; nil for digits and punctuation alone.
  /// Source: Unicode Bidirectional Algorithm, rules P2 and P3.
  init?(of text: some StringProtocol) {
    for scalar in text.unicodeScalars {
      switch swift_u_charDirection(UChar32(bitPattern: scalar.value)) {
      case U_LEFT_TO_RIGHT: self = .leftToRight
      case U_RIGHT_TO_LEFT, U_RIGHT_TO_LEFT_ARABIC: self = .rightToLeft
      default: continue
      }
      return
    }
    return nil
  }
}

extension String {
  /// Whether a reader begins at the right: its first strong character is of such a script.
  public var isRightToLeft: Bool { TextDirection(of: self) == .rightToLeft }
}
