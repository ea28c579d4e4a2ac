internal import ASCII

/// The first hex digits of a token, at least eight, as an admin searches for it.
package struct TokenPrefix: Hashable, Sendable {
  /// The smallest token with this prefix.
  package let lowerBound: [UInt8]
  /// Not smaller than the greatest token with this prefix.
  package let upperBound: [UInt8]

  /// Takes hex digits in any case; `nil` when they are fewer than eight or no hex.
  package init?(_ text: String) {
    var nibbles: [UInt8] = []
    for character in text.utf8 {
      guard let nibble = character.hexDigit else { return nil }
      nibbles.append(nibble)
    }
    guard
      (RegistryLimits.tokenPrefixDigits...RegistryLimits.deviceTokenMaximumBytes * 2).contains(
        nibbles.count)
    else { return nil }
    func bytes(paddedWith padding: UInt8) -> [UInt8] {
      stride(from: 0, to: nibbles.count, by: 2).map { index in
        nibbles[index] << 4 | (index + 1 < nibbles.count ? nibbles[index + 1] : padding)
      }
    }
    lowerBound = bytes(paddedWith: 0)
    upperBound =
      bytes(paddedWith: 15) + Array(repeating: 0xFF, count: RegistryLimits.deviceTokenMaximumBytes)
  }

  /// Whether a token begins so.
  func begins(_ token: DeviceToken) -> Bool {
    !token.bytes.lexicographicallyPrecedes(lowerBound)
      && !upperBound.lexicographicallyPrecedes(token.bytes)
  }
}
