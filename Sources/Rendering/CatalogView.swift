public import Localization

/// A catalog as one device sees it: in the order of its languages.
public struct CatalogView: Sendable {
  /// The string tables.
  public let catalog: Catalog
  /// A number that catalogs of other contents do not have.
  public let id: Int64
  /// The localizations in which a key is looked for, best first.
  public let chain: [String]
  /// Whether ``chain`` is that of a message's fallback language.
  var isFallback = false
  /// The catalog's version when it stands in for that of the device's build; nil otherwise.
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
