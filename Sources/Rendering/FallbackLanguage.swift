import Localization

/// The language for devices none of whose languages there is.
struct FallbackLanguage {
  let language: LanguageTag
  /// The device's languages, best first.
  let preferred: [LanguageTag]

  /// The chain of the fallback language; nil when a preferred language is there, when the fallback
  /// is not, and when it makes no difference.
  func chain(
    insteadOf chain: [String], languages: [String], developmentLanguage: String
  ) -> [String]? {
    guard LanguageMatcher.localizations(preferred: preferred, available: languages).isEmpty,
      !LanguageMatcher.localizations(preferred: [language], available: languages).isEmpty
    else { return nil }
    let fallback = LanguageMatcher.bundleLocalizations(
      preferred: [language], languages: languages, developmentLanguage: developmentLanguage)
    return fallback.first == chain.first ? nil : fallback
  }
}

extension CatalogView {
  /// The view for a device, in the fallback language if need be.
  func falling(back fallback: FallbackLanguage) -> CatalogView {
    let chain = fallback.chain(
      insteadOf: chain, languages: catalog.languages,
      developmentLanguage: catalog.developmentLanguage)
    guard let chain else { return self }
    var view = CatalogView(catalog, id: id, chain: chain)
    view.isFallback = true
    view.nearestVersion = nearestVersion
    return view
  }
}
