internal import Foundation
internal import Localization

/// Why a device gets a text in a language, in one sentence.
///
/// | the device prefers | there is | the sentence |
/// |---|---|---|
/// | fr | en, fr | it is the first language of the device |
/// | fr-CA | en, fr | it fits fr-CA, the first language of the device |
/// | ja, en-GB | en, fr | nothing fits ja, and it fits en-GB |
/// | zh-TW | en, zh-Hans | none of zh-TW fits: scripts do not mix; English is the development … |
/// | ja | en, fr | none of ja fits; English is the development language |
/// | fr | en, fr, which lacks the text | fr has no such text |
enum LanguageReasonText {
  /// The sentence, behind `fr, as …`.
  /// - Parameters:
  ///   - chosen: The localization that the text is from.
  ///   - preferred: The languages of the device, best first.
  ///   - available: The localizations that there are.
  ///   - isFallback: Whether the message names the language for those who have none of them.
  static func sentence(
    _ chosen: String, preferred: [String], available: [String], isFallback: Bool
  ) -> String {
    let role = isFallback ? "fallback of the message" : "development language"
    let standIn = "\(name(chosen)) is the \(role)"
    guard !preferred.isEmpty else { return "the device told no language; \(standIn)" }
    let fitting = preferred.enumerated().lazy.map { index, language in
      (index, language, localizations(language, available))
    }.first { !$0.2.isEmpty }
    guard let (index, language, found) = fitting else {
      let mixes = preferred.contains { one in available.contains { base($0) == base(one) } }
      return "none of \(preferred.joined(separator: ", ")) fits"
        + (mixes ? ": scripts do not mix" : "") + "; \(standIn)"
    }
    guard found.contains(chosen) else {
      return "\(found.joined(separator: ", ")) has no such text"
    }
    guard index > 0 else {
      let first = "the first language of the device"
      return chosen == language ? "it is \(first)" : "it fits \(language), \(first)"
    }
    return "nothing fits \(preferred[..<index].joined(separator: ", ")), and it fits \(language)"
  }

  private static func localizations(_ language: String, _ available: [String]) -> [String] {
    LanguageTag(language).map {
      LanguageMatcher.localizations(preferred: [$0], available: available)
    } ?? []
  }

  private static func base(_ language: String) -> Substring {
    language.prefix { $0 != "-" && $0 != "_" }
  }

  private static func name(_ language: String) -> String {
    Locale(identifier: "en").localizedString(forIdentifier: language) ?? language
  }
}
