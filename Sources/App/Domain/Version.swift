/// A version that can be compared: one to four dotted numbers, as in `17.4.1` or `412`. Text is
/// stored as the app sent it; this is how it is read.
struct Version: Hashable, Sendable, Comparable {
  /// The numbers, without trailing zeros, so that `3.2` and `3.2.0` are the same.
  private let parts: [UInt64]

  /// Reads a version; `nil` when it is not one, or a number has more than 18 digits.
  init?(_ text: String) {
    let fields = text.split(separator: ".", omittingEmptySubsequences: false)
    guard fields.count <= 4 else { return nil }
    var parts: [UInt64] = []
    for field in fields {
      guard field.utf8.count <= 18, field.utf8.allSatisfy(\.isDigit), let part = UInt64(field)
      else { return nil }
      parts.append(part)
    }
    while parts.last == 0 { parts.removeLast() }
    self.parts = parts
  }

  static func < (left: Self, right: Self) -> Bool {
    left.parts.lexicographicallyPrecedes(right.parts)
  }
}
