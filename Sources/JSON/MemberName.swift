internal import ASCII

/// The name of a member as objects compare it: two spellings of é are one name, as whoever reads it
/// cannot tell them apart. Of a long name the bytes count: to compare the letters of a megabyte
/// takes quadratic time (``Spelling``).
struct MemberName: Hashable {
  private let text: String
  private let isLong: Bool

  init(_ text: String) {
    self.text = text
    isLong = text.utf8.count > InputLimits.comparedNameBytes
  }

  static func == (one: Self, other: Self) -> Bool {
    one.isLong || other.isLong ? one.text.isSpelled(like: other.text) : one.text == other.text
  }

  func hash(into hasher: inout Hasher) {
    if isLong { hasher.combine(Spelling(text)) } else { hasher.combine(text) }
  }
}
