import ASCII

/// A language identifier as a device or a bundle spells it: `zh-Hant-HK`, `sr@latin`, `English`.
///
/// 1…58 ASCII characters of `[A-Za-z0-9-_@=;.]`. The part before the first `-`, `_`, `@`, `.`
/// is a language of 2–8 letters or one of Apple's longer legacy names (`Norwegian`,
/// `Portuguese`). The spelling is kept as it came; equality is that of the spelling.
/// Source: `Locale.preferredLanguages`, `Locale.identifier`, CFBundle's legacy names.
public struct LanguageTag: Sendable, Hashable, CustomStringConvertible {
  /// The identifier, verbatim.
  public let text: String

  /// The identifier, verbatim.
  public var description: String { text }

  /// Validates `text`; nil when it cannot be a language identifier.
  public init?(_ text: String) {
    let bytes = text.utf8
    guard (1...Limits.identifierBytes).contains(bytes.count) else { return nil }
    var languageBytes = 0
    var insideLanguage = true
    for byte in bytes {
      let isLetter = byte.isASCIILetter
      guard isLetter || Self.isOtherCharacter(byte) else { return nil }
      guard insideLanguage else { continue }
      if isLetter {
        languageBytes += 1
      } else if Self.endsLanguage(byte) {
        insideLanguage = false
      } else {
        return nil
      }
    }
    guard
      (2...8).contains(languageBytes)
        || Self.longLegacyNames.contains(text.prefix(languageBytes).lowercased())
    else { return nil }
    self.text = text
  }

  private static let longLegacyNames: Set<String> = ["norwegian", "portuguese"]

  private static func isOtherCharacter(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || endsLanguage(byte) || byte == UInt8(ascii: "=")
      || byte == UInt8(ascii: ";")
  }

  private static func endsLanguage(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "@")
      || byte == UInt8(ascii: ".")
  }
}
