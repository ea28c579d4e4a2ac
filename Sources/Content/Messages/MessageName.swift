internal import ASCII

/// The name of a stored message: 1 to 64 of `A`–`Z`, `a`–`z`, `0`–`9`, `.`, `_` and `-`. It is
/// neither `.` nor `..`, which a path would lose.
package struct MessageName: Hashable, Sendable {
  /// The name as it stands in a path.
  package let text: String

  /// What a name must be, for messages to developers.
  package static let rule = "A message's name has 1 to 64 of A-Z, a-z, 0-9, `.`, `_` and `-`."

  /// Takes a name; `nil` when it is not one.
  package init?(_ text: String) {
    let signs = ".-_".utf8
    guard (1...64).contains(text.utf8.count), text != ".", text != "..",
      text.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || signs.contains($0) })
    else { return nil }
    self.text = text
  }
}
