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

extension LanguageTag {
  /// Reads a tag as other systems write it; `nil` when it names no language, as `C` and `*` do.
  ///
  /// | text | written by | tag |
  /// |---|---|---|
  /// | `zh-Hant-HK`, `en_US@rg=gbzzzz` | Apple | as it is |
  /// | `zh_CN_#Hans`, `sr__#Latn` | Java's `Locale.toString()` | `zh-Hans-CN`, `sr-Latn` |
  /// | `de_DE.UTF-8@euro`, `sr_RS@latin` | POSIX | `de_DE`, `sr-Latn-RS` |
  /// | `fr-CH;q=0.9` | `Accept-Language` | `fr-CH` |
  ///
  /// Keywords behind `@` are left out if the tag is too long with them.
  public init?(reading text: String) {
    let tag = LanguageTag(text)
    // Nearly all are tags as they are.
    if let tag, !text.utf8.contains(where: { ".;@".utf8.contains($0) }) {
      guard text.lowercased() != "posix" else { return nil }
      self = tag
      return
    }
    guard text.utf8.count <= Limits.localeBytes else { return nil }
    var name = text.drop { $0 == " " }.prefix { $0 != "@" && $0 != "." && $0 != ";" }
    while name.last == " " { name.removeLast() }
    let modifier = text.firstIndex(of: "@").map { text[$0...].dropFirst() } ?? ""
    if modifier.contains("="), let tag {
      self = tag
      return
    }
    let script = Self.scripts[modifier.lowercased()]
    let parts = name.split { $0 == "-" || $0 == "_" }
    let spelled =
      if let mark = parts.indices.dropFirst().first(where: { parts[$0].hasPrefix("#") }) {
        Self.spelling(of: parts[..<mark], script: String(parts[mark].dropFirst()))
      } else if let script {
        Self.spelling(of: parts[...], script: script)
      } else {
        String(name)
      }
    guard let read = LanguageTag(spelled), spelled.lowercased() != "posix" else { return nil }
    self = read
  }

  /// Language, script and region; a variant, as Java writes it, is none of these.
  private static func spelling(of parts: ArraySlice<Substring>, script: String) -> String {
    let region = parts.dropFirst().first { (2...3).contains($0.utf8.count) }
    // Behind the mark an extension may stand in the place of a script: `#u-nu-thai`.
    let script = script.utf8.count == 4 ? Substring(script) : nil
    return [parts.first, script, region].compactMap(\.self).joined(separator: "-")
  }

  /// The modifiers of POSIX that name a script.
  private static let scripts = ["latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva"]
}
