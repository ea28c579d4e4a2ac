internal import FoundationEssentials
internal import FoundationInternationalization

/// The locale in which numbers are written.
public enum FormattingLocale {
  /// The language of the text with the region of the user, as an identifier such as `fr_CH`.
  ///
  /// Apple formats numbers by locale, not by the language of the text: a user of `de-CH, fr-CH`
  /// who gets the localization `fr` reads Swiss numbers. Without a region in the first preferred
  /// language the localization's own counts: `pt-BR` → `pt_BR`.
  public static func identifier(localization: String, preferred: [LanguageTag]) -> String {
    var subtags = Subtags(localization)
    if let region = preferred.first.flatMap({ Subtags($0.text).region }) { subtags.region = region }
    return subtags.identifier
  }

  /// The identifier cut down to language, script and region that exist, old codes and Apple's long
  /// names replaced; `root` for an unknown language.
  ///
  /// Foundation keeps a kilobyte for each identifier it ever saw, for as long as the process
  /// lives: identifiers from outside must be of a limited kind. Keywords (`@numbers=…`) go, too.
  static func known(_ text: String) -> String {
    Subtags(text).identifier
  }

  private struct Subtags {
    var language = "root"
    var script: String?
    var region: String?

    init(_ text: String) {
      let name = text.prefix(Limits.identifierBytes).prefix { $0 != "@" && $0 != "." && $0 != ";" }
      let parts = name.split { $0 == "-" || $0 == "_" }
      guard let first = parts.first?.lowercased() else { return }
      let canonical = Self.canonical(first).split(separator: "_")
      guard let known = canonical.first.map(String.init), languages.contains(known) else { return }
      language = known
      // What the identifier says itself counts before what its code implies: `sh` is `sr_Latn`.
      for part in parts.dropFirst().prefix(2) + canonical.dropFirst() {
        let titlecase = part.prefix(1).uppercased() + part.dropFirst().lowercased()
        if script == nil, languages.contains("\(language)_\(titlecase)") {
          script = titlecase
        } else if region == nil, regions.contains(part.uppercased()) {
          region = part.uppercased()
        }
      }
    }

    /// The language that a code or a long name of Apple's means, perhaps with a script or region.
    private static func canonical(_ name: String) -> String {
      if languages.contains(name) { return name }
      guard name.utf8.count > 3 else { return canonicalLanguage(name) }
      guard let tag = LanguageTag(name) else { return name }
      return LanguageMatcher.localizations(preferred: [tag], available: longNamed).first ?? name
    }

    var identifier: String {
      guard language != "root" else { return language }
      return [language, script, region].compactMap(\.self).joined(separator: "_")
    }
  }

  /// The languages, and languages with script, that have data: about 300.
  private static let languages = Set(
    Locale.availableIdentifiers.flatMap { identifier -> [String] in
      let parts = identifier.split(separator: "_").map(String.init)
      guard parts.count > 1, parts[1].count == 4 else { return [parts[0]] }
      return [parts[0], parts[0] + "_" + parts[1]]
    })

  /// What the long names of Apple's oldest folders (`English`, `Norwegian`) may mean.
  private static let longNamed = [
    "en", "fr", "de", "it", "nl", "es", "ja", "ar", "da", "fi", "ko", "nb", "pl", "pt", "ru", "sv",
    "th", "tr", "zh_Hans",
  ]

  /// The ISO regions, and the groups of regions that Apple's locales use: about 300.
  private static let regions = Set(Locale.Region.isoRegions.map(\.identifier))
    .union(["001", "150", "419"])
}
