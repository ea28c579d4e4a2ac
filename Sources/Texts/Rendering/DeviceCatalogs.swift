public import Localization

/// The catalogs that one device's texts may come from.
public struct DeviceCatalogs: Sendable, Hashable {
  /// The catalog of the device's app build; nil when none was uploaded for it.
  public var app: CatalogView?
  /// The catalog of the nearest build, if ``app`` is nil. The server can use its texts, but nobody
  /// knows whether the device has its keys.
  public var nearest: CatalogView?
  /// The catalog `server`.
  public var server: CatalogView?

  public init(
    app: CatalogView? = nil, nearest: CatalogView? = nil, server: CatalogView? = nil
  ) {
    self.app = app
    self.nearest = nearest
    self.server = server
  }

  /// The catalogs. A catalog with none of the device's languages is in the fallback language.
  func falling(back fallback: FallbackLanguage?) -> DeviceCatalogs {
    guard let fallback else { return self }
    return DeviceCatalogs(
      app: app?.falling(back: fallback), nearest: nearest?.falling(back: fallback),
      server: server?.falling(back: fallback))
  }

  /// The catalogs in which a text is looked for, in order.
  func views(_ choice: KeyedText.CatalogChoice) -> [CatalogView] {
    switch choice {
    case .app: [app ?? nearest, server].compactMap { $0 }
    case .server: [server, app ?? nearest].compactMap { $0 }
    }
  }
}

/// A catalog as one device sees it: in the order of its languages.
public struct CatalogView: Sendable {
  public let catalog: Catalog
  /// A number. Catalogs with other contents have other numbers.
  public let id: Int64
  /// The localizations in which a key is looked for, best first.
  public let chain: [String]
  /// Whether ``chain`` is the chain of a message's fallback language.
  var isFallback = false
  /// The catalog's version when it stands in for the catalog of the device's build; nil otherwise.
  public var nearestVersion: String?

  /// A catalog with a chain that the caller remembers, see `MatchMemo`.
  public init(_ catalog: Catalog, id: Int64 = 0, chain: [String]) {
    self.catalog = catalog
    self.id = id
    self.chain = chain
  }

  /// A catalog for a list of preferred languages; matching them costs microseconds.
  public init(_ catalog: Catalog, for preferred: [LanguageTag]) {
    self.init(catalog, chain: catalog.chain(for: preferred))
  }
}

extension CatalogView: Hashable {
  /// Whether a device sees the same texts in both.
  public static func == (left: Self, right: Self) -> Bool {
    left.id == right.id && left.chain == right.chain && left.isFallback == right.isFallback
      && left.nearestVersion == right.nearestVersion
  }

  /// The catalog and the order of its languages, which tell most apart.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(chain)
  }
}

extension CatalogView {
  /// The chain of its own, and those of devices of each language that the catalog has.
  var chainsOfAllLanguages: [[String]] {
    [chain]
      + catalog.languages.compactMap { LanguageTag($0) }.map { catalog.chain(for: [$0]) }
  }
}

/// The language for a device if the catalog has none of its languages.
struct FallbackLanguage {
  let language: LanguageTag
  /// The device's languages, best first.
  let preferred: [LanguageTag]

  /// The localizations of the fallback language; nil when the catalog has a preferred language,
  /// when it does not have the fallback, and when the result is the same without it.
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
