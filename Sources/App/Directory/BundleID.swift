internal import ASCII

/// An app's bundle identifier, which is its APNs topic (Apple, CFBundleIdentifier): letters,
/// digits, `-` and `.`, at most 155 bytes, no empty part.
struct BundleID: Hashable, Sendable {
  /// The identifier in its own spelling.
  let text: String

  /// Takes an identifier; `nil` when it is not one.
  init?(_ text: String) {
    let bytes = text.utf8
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isWellFormed = parts.allSatisfy { part in
      !part.isEmpty
        && part.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
    }
    guard bytes.count <= 155, isWellFormed else { return nil }
    self.text = text
  }
}
