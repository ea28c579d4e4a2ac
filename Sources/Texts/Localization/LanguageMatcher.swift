/// Which localizations of a bundle serve a list of preferred languages, by Apple's own rules.
public enum LanguageMatcher {
  /// The localizations to use, best first, in the spelling of `available`; empty when none fits.
  ///
  /// They all belong to the first preferred language that has any: `["en-AU"]` against
  /// `["en", "en-GB", "fr"]` gives `["en-GB", "en"]`. The first 50 preferences and the first 512
  /// available entries count; an available entry that is no `LanguageTag` never matches.
  /// Source: ICU's `ualoc_localizationsToUse` (Apple), CFBundle; docs/apple.md 7.3.
  public static func localizations(
    preferred: [LanguageTag], available: [String]
  ) -> [String] {
    let candidates = available.prefix(Limits.availableLocalizations).filter {
      LanguageTag($0) != nil
    }
    let preferences = preferred.prefix(Limits.preferredLanguages).map(withoutKeywords)
    return localizationsToUse(preferred: preferences, available: candidates)
      .map { candidates[$0] }
  }

  /// The chain of localizations in which a bundle looks for its string tables, never empty.
  ///
  /// The localizations that match come first. When none does: those that match the development
  /// language, else `en-US`, else the first of `languages`. The development language is always
  /// the last resort. `Base` never matches a language; it stands for the development language.
  /// Source: CFBundle_Locale.c, Apple's QA1828.
  public static func bundleLocalizations(
    preferred: [LanguageTag], languages: [String], developmentLanguage: String
  ) -> [String] {
    var available = languages.filter { $0 != developmentFolder }
    let development = spelling(of: developmentLanguage, in: available) ?? developmentLanguage
    if available.isEmpty || languages.count != available.count, !available.contains(development) {
      available.append(development)
    }
    var chain = localizations(preferred: preferred, available: available)
    for standIn in [development, "en-US"] where chain.isEmpty {
      guard let tag = LanguageTag(standIn) else { continue }
      chain = localizations(preferred: [tag], available: available)
    }
    if chain.isEmpty { chain = Array(available.prefix(1)) }
    if !chain.contains(development) { chain.append(development) }
    return chain
  }

  /// How `available` spells a localization, whatever its spelling: `en` may be there as `English`.
  public static func spelling(of localization: String, in available: [String]) -> String? {
    if available.contains(localization) { return localization }
    guard let tag = LanguageTag(localization) else { return nil }
    return localizations(preferred: [tag], available: available)
      .first { isSame($0, localization) }
  }

  /// Whether two identifiers name the same localization, whatever the spelling: `English` and
  /// `en`, `zh_TW` and `zh-Hant-TW`, `iw` and `he`.
  ///
  /// Each must turn up in the other's fallback chain, which only equals can do.
  public static func isSame(_ first: String, _ second: String) -> Bool {
    if first == second { return true }
    guard let firstTag = LanguageTag(first), let secondTag = LanguageTag(second) else {
      return false
    }
    return localizations(preferred: [firstTag], available: [first, second]).contains(second)
      && localizations(preferred: [secondTag], available: [second, first]).contains(first)
  }

  /// The folder name whose strings stand for the development language.
  static let developmentFolder = "Base"

  private static func withoutKeywords(_ tag: LanguageTag) -> String {
    String(tag.text.prefix { $0 != "@" && $0 != "." && $0 != ";" })
  }
}
