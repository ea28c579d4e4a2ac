public import Localization

/// A catalog as one device sees it: in the order of its languages.
public struct CatalogView: Sendable {
  /// The string tables.
  public let catalog: Catalog
  /// The localizations in which a key is looked for, best first.
  public let chain: [String]
  /// Whether ``chain`` is that of a message's fallback language.
  var isFallback = false
  /// The catalog's version when it stands in for that of the device's build; nil otherwise.
  public var nearestVersion: String?

  /// A catalog with a chain that the caller remembers, see `MatchMemo`.
  public init(_ catalog: Catalog, chain: [String]) {
    self.catalog = catalog
    self.chain = chain
  }

  /// A catalog for a list of preferred languages; matching them costs microseconds.
  public init(_ catalog: Catalog, for preferred: [LanguageTag]) {
    self.init(catalog, chain: catalog.chain(for: preferred))
  }
}
