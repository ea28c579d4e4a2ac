import Foundation
import Localization
import Testing

@Suite struct LanguageMatcherTests {
  @Test(arguments: matchCases)
  func localizationsAreThoseThatApplesBundlesUse(
    preferred: String, available: String, expected: String
  ) {
    let tags = list(preferred).compactMap { LanguageTag($0) }
    #expect(
      LanguageMatcher.localizations(preferred: tags, available: list(available)) == list(expected))
  }

  @Test func theToolchainStillHasApplesMatcher() {
    // Should this fail after a change of toolchain, no device gets its language any more:
    // see Sources/Texts/Localization/ICU.
    let tags = ["hi-Latn-IN"].compactMap { LanguageTag($0) }
    #expect(
      LanguageMatcher.localizations(preferred: tags, available: ["hi", "en-IN"]) == ["en-IN"])
  }

  @Test(arguments: [
    // preferred, languages, development language → chain
    ("fr-CA", "en, fr", "en", "fr, en"),
    ("ja", "en, fr", "fr", "fr"),
    ("ja", "fr, en-GB", "en", "en-GB, en"),
    ("ja", "fr, en-US, de", "it", "en-US, it"),
    ("ja", "fr, de", "it", "fr, it"),
    ("ja", "", "en", "en"),
    ("ja, en", "Base, ja", "en", "ja, en"),
    ("en", "Base, ja", "en", "en"),
    ("de", "Base, de, English", "en", "de, English"),
    ("en-AU", "Base, en, en-GB", "en", "en-GB, en"),
    ("", "en, fr", "fr", "fr"),
    ("nb-NO", "en, pr, sr@latin, no", "en", "no, en"),
  ])
  func theChainOfABundleEndsWithItsDevelopmentLanguage(
    preferred: String, languages: String, development: String, expected: String
  ) {
    let chain = LanguageMatcher.bundleLocalizations(
      preferred: list(preferred).compactMap { LanguageTag($0) }, languages: list(languages),
      developmentLanguage: development)
    #expect(chain == list(expected))
  }

  @Test(arguments: [
    ("en", "English", true), ("zh_TW", "zh-Hant-TW", true), ("iw", "he", true),
    ("en", "en", true), ("EN-gb", "en_GB", true), ("en", "en-GB", false), ("nb", "no", false),
    ("fr", "de", false), ("fr", "", false),
  ])
  func spellingsOfOneLocalizationAreRecognized(first: String, second: String, same: Bool) {
    #expect(LanguageMatcher.isSame(first, second) == same)
    #expect(LanguageMatcher.isSame(second, first) == same)
  }

  @Test func availableEntriesThatAreNoIdentifiersNeverMatch() {
    let hostile = ["", "-", "\0", "é", String(repeating: "e", count: 5000), "e n", "en"]
    let tags = ["en"].compactMap { LanguageTag($0) }
    #expect(LanguageMatcher.localizations(preferred: tags, available: hostile) == ["en"])
  }
}

private func list(_ text: String) -> [String] {
  text.isEmpty ? [] : text.components(separatedBy: ", ")
}

/// Preferred, available, expected. Facts of Apple's own test file and of a model that satisfies it.
private let matchCases: [(String, String, String)] =
  [
    // English
    ("en-US", "en, en-GB", "en"),
    ("en-GB", "en, en-AU, en-GB", "en-GB, en"),
    ("en-GB", "en", "en"),
    ("en-GB", "en-US, fr", "en-US"),
    ("en", "en-GB, fr", "en-GB"),
    ("en-US", "en-GB, en-AU", "en-GB"),
    ("en-US", "hi, en-IN", "en-IN"),
    ("en-AU", "en, en-GB", "en-GB, en"),
    ("en-NZ", "en, en-AU, en-GB", "en-AU, en-GB, en"),
    ("en_NZ", "en, en_GB", "en_GB, en"),
    ("en-IN", "en, en-GB", "en-GB, en"),
    ("en-IN, en-GB, de, fr", "en, en-GB, fr, es", "en-GB, en"),
    ("en-IN, zh-HK", "de-DE, en-AU, es-ES, fr-FR, hi-IN, pt-BR, zh-HK, zh-TW", "en-AU"),
    ("en-CA", "en, en-GB", "en"),
    ("en-CA", "en-GB, en-US", "en-US"),
    ("en-IE", "en-US, en-GB", "en-GB"),
    ("en_BN", "en_US, en_GB", "en_GB"),
    ("en-JP", "en-US, en-GB", "en-US"),
    ("en-KR", "en-US, en-GB", "en-US"),
    ("en-SA", "en-US, en-GB", "en-US"),
    ("en-DE", "en, en-GB", "en-GB, en"),
    ("en-SE", "en, en-001, en-GB", "en-GB, en-001, en"),
    ("en-US, en-GB", "en, en-AU, en-GB", "en"),
    ("en-CN, zh-CN, en-AU", "en, zh-CN, en-AU", "en"),
    ("en-US, fr", "fr, en-GB", "en-GB"),
    // Spanish, Portuguese
    ("es-MX", "en, es", "es"),
    ("es-MX", "en, es, es-419", "es-419, es"),
    ("es-AR", "en, es, es-419, es-MX", "es-419, es"),
    ("es-US", "en, es, es-419", "es-419, es"),
    ("es-ES", "en, es-419", "es-419"),
    ("es-419", "en, es-ES", "es-ES"),
    ("es-ES", "fr-CA, pt-BR, es-MX, en-US, en", "es-MX"),
    ("pt-BR", "en, pt-PT", "pt-PT"),
    ("pt-PT", "en, pt-BR", "pt-BR"),
    ("pt-PT, en", "en, pt-BR", "en"),
    ("pt-PT, en", "pt-BR", "pt-BR"),
    ("pt-PT, ar", "de-DE, en-AU, es-ES, fr-FR, hi-IN, pt-BR, zh-HK, zh-TW", "pt-BR"),
    ("pt-PT", "pt, pt-BR", "pt"),
    ("pt-AO", "pt, pt-PT", "pt-PT, pt"),
    ("pt-AO", "pt-BR, pt-PT", "pt-PT"),
    ("pt", "pt-PT, pt-BR", "pt-BR"),
    ("pt-BR", "en, pt-PT, pt-BR", "pt-BR"),
    // Chinese, Cantonese
    ("zh-Hans-CN", "en, zh-Hans, zh-Hant", "zh-Hans"),
    ("zh-Hant-TW", "en, zh-Hans, zh-Hant", "zh-Hant"),
    ("zh-Hant-HK", "en, zh-Hans, zh-Hant", "zh-Hant"),
    ("zh-Hant-HK", "en, zh-Hans, zh-Hant, zh-HK", "zh-HK, zh-Hant"),
    ("zh-Hant-HK", "en, zh-CN, zh-TW, zh-HK", "zh-HK, zh-TW"),
    ("zh-HK", "en, zh-Hans, zh-Hant", "zh-Hant"),
    ("zh_HK", "en, fr, de, zh_CN, zh_TW, zh-Hant", "zh-Hant"),
    ("zh-HK", "en, zh-Hans", ""),
    ("zh-Hant", "en, zh-Hans", ""),
    ("zh-Hans", "unk, zh-Hant, yue", ""),
    ("zh", "en, zh-Hans, zh-Hant", "zh-Hans"),
    ("zh-TW", "zh-Hant", "zh-Hant"),
    ("zh-TW, en-AU", "de-DE, en-AU, es-ES, fr-FR, hi-IN, pt-BR, zh-CN, zh-HK", "zh-HK"),
    ("zh-CN, en-AU", "de-DE, en-AU, es-ES, fr-FR, hi-IN, pt-BR, zh-HK, zh-TW", "en-AU"),
    ("zh-Hans", "zh-CN, zh-TW", "zh-CN"),
    ("zh-Hans-SG", "zh-Hans, zh-Hant", "zh-Hans"),
    ("zh-Hant-MO", "zh-Hant, zh-HK", "zh-HK, zh-Hant"),
    ("zh-Hans-US, zh-HK, en-US", "zh-Hans, zh-Hant, zh-HK", "zh-Hans"),
    ("zh-Hans-HK, zh-HK, en", "zh-TW, zh-CN, zh-HK", "zh-CN"),
    ("zh-Hans-US", "zh, zh-Hans, zh-Hant", "zh-Hans, zh"),
    ("yue-Hant-HK", "en, zh-CN, zh-TW, zh-HK", "zh-HK, zh-TW"),
    ("yue-Hant-HK", "en, zh-Hant", "zh-Hant"),
    ("wuu_CN", "en, zh-Hans", "zh-Hans"),
    // Norwegian, Serbian, legacy codes
    ("nb", "no, en", "no"),
    ("no", "nb, en", "nb"),
    ("nn", "en, no", "no"),
    ("nn", "nb, en", "nb"),
    ("nb-NO", "nb, en", "nb"),
    ("da", "nb, sv, en", ""),
    ("sr-Latn", "sr, en", ""),
    ("sr", "sr-Latn, en", ""),
    ("sr-Latn-RS", "sr-Latn, sr", "sr-Latn"),
    ("sh_RS", "en_US, sr_Latn_RS", "sr_Latn_RS"),
    ("hr", "sr-Latn, bs", ""),
    ("he", "iw, en", "iw"),
    ("iw-IL", "he, en", "he"),
    ("id", "in, en", "in"),
    ("in-ID", "id, en", "id"),
    ("fil", "en, tl", "tl"),
    ("tl_PH", "en, fil", "fil"),
    ("mo", "ro, en", "ro"),
    ("ro-MD", "ro, en", "ro"),
    ("prs_AF", "en_US, fa_AF", "fa_AF"),
    // Other
    ("fr-CA", "en, fr", "fr"),
    ("fr-CA", "en, fr-FR", "fr-FR"),
    ("fr-CH", "fr-FR, en-US, en-GB", "fr-FR"),
    ("fr-CH, fr-CA", "fr-FR, fr-CA", "fr-CA"),
    ("fr-FR, ja-JP, fr-CA", "fr-CH, ja-JP, fr-CA", "fr-CA"),
    ("fr", "fr-CA, en", "fr-CA"),
    ("fr-US, fr, en-US", "es-es, fr-fr, fr", "fr"),
    ("it", "it-CH, it-IT", "it-IT"),
    ("de-CH", "de, en", "de"),
    ("de-DE, en-US", "de-CH, en-US", "de-CH"),
    ("de-AT, en", "de-CH, en-US", "de-CH"),
    ("gsw", "de, en", ""),
    ("ar-US", "unk, en-US, ar-SA", "ar-SA"),
    ("ars_SA", "en, ar", "ar"),
    ("hi-Latn-IN, en-IN", "en-IN, hi-IN", "en-IN"),
    ("uk, ru, en", "ru, en", "ru"),
    ("be", "ru, en", ""),
    ("ca, es", "es, en", "es"),
    ("az-Latn", "az, en", "az"),
    ("az-Cyrl", "az, en", ""),
    ("ms-MY", "id, en", ""),
    ("th_TH", "zxx, en_HK, en_MO", "zxx"),
    ("tlh", "en", ""),
    ("ja, en", "fr, de", ""),
    ("EN-us", "en", "en"),
    ("en_US", "en-US, en", "en-US, en"),
    ("de@collation=phonebook", "de", "de"),
  ]
