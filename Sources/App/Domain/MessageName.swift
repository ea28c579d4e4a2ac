/// The name of a stored message: 1 to 64 of `A`–`Z`, `a`–`z`, `0`–`9`, `.`, `_` and `-`. It is
/// neither `.` nor `..`, which a path would lose.
struct MessageName: Hashable, Sendable {
  /// The name as it stands in a path.
  let text: String

  /// What a name must be, for messages to developers.
  static let rule = "A message's name has 1 to 64 of A-Z, a-z, 0-9, `.`, `_` and `-`."

  /// Takes a name; `nil` when it is not one.
  init?(_ text: String) {
    let signs = ".-_".utf8
    guard (1...64).contains(text.utf8.count), text != ".", text != "..",
      text.utf8.allSatisfy({ $0.isLetter || $0.isDigit || signs.contains($0) })
    else { return nil }
    self.text = text
  }
}
