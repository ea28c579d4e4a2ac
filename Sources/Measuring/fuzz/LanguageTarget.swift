internal import Localization

/// Matches languages: the first line is what a user prefers, the second what an app has, the third
/// the language it was written in.
func matchLanguages(_ input: [UInt8]) {
  let lines = lines(of: input)
  guard lines.count > 2 else { return }
  let preferred = lines[0].split(separator: " ").compactMap { LanguageTag(String($0)) }
  let available = lines[1].split(separator: " ").map(String.init)
  for tag in preferred { promise(LanguageTag(tag.text) == tag, "A tag is kept as it came.") }

  let localizations = LanguageMatcher.localizations(preferred: preferred, available: available)
  promise(Set(localizations).isSubset(of: available), "What matches is there: \(localizations)")
  promise(
    localizations == LanguageMatcher.localizations(preferred: preferred, available: available),
    "Matching twice gives the same.")
  let chain = LanguageMatcher.bundleLocalizations(
    preferred: preferred, languages: available, developmentLanguage: lines[2])
  promise(!chain.isEmpty, "A bundle always has a language.")
  promise(!chain.contains("Base") || lines[2] == "Base", "Base is no language.")

  let locale = FormattingLocale.identifier(localization: lines[2], settings: lines[0])
  promise(
    FormattingLocale.identifier(localization: locale, settings: lines[0]) == locale,
    "A locale stays what it is: \(locale)")
  if let first = available.first, let last = available.last {
    promise(
      LanguageMatcher.isSame(first, last) == LanguageMatcher.isSame(last, first),
      "Sameness has no direction: \(first) \(last)")
  }
}
