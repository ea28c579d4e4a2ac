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
  /// Keywords behind `@` are left out where the whole is too long with them.
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

  /// Language, script and region; a variant of Java's is none.
  private static func spelling(of parts: ArraySlice<Substring>, script: String) -> String {
    let region = parts.dropFirst().first { (2...3).contains($0.utf8.count) }
    // Behind the mark an extension may stand in the place of a script: `#u-nu-thai`.
    let script = script.utf8.count == 4 ? Substring(script) : nil
    return [parts.first, script, region].compactMap(\.self).joined(separator: "-")
  }

  /// The modifiers of POSIX that name a script.
  private static let scripts = ["latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva"]
}
