internal import ASCII

/// The name of an app in paths: 1 to 64 of `a`–`z`, `0`–`9` and `-`, beginning with a letter or
/// digit.
struct AppSlug: Hashable, Sendable {
  /// The name as it stands in a path.
  let text: String

  /// Takes a slug; `nil` when it is not one.
  init?(_ text: String) {
    let bytes = text.utf8
    guard (1...64).contains(bytes.count), bytes.first != UInt8(ascii: "-"),
      bytes.allSatisfy({ $0.isASCIILowercaseLetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") })
    else { return nil }
    self.text = text
  }
}
