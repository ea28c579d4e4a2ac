public import Localization

/// A catalog as one device sees it: in the order of its languages.
public struct CatalogView: Sendable {
  /// The string tables.
  public let catalog: Catalog
  /// The localizations in which a key is looked for, best first.
  public let chain: [String]

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

/// The catalogs that one device's texts may come from.
public struct Catalogs: Sendable {
  /// That of the device's app build; nil when none was uploaded for it.
  public var app: CatalogView?
  /// The server's own.
  public var server: CatalogView?

  /// Catalogs, as far as there are any.
  public init(app: CatalogView? = nil, server: CatalogView? = nil) {
    self.app = app
    self.server = server
  }

  /// The catalogs in which a text is looked for, in order.
  func views(_ choice: KeyedText.CatalogChoice) -> [CatalogView] {
    switch choice {
    case .app: [app, server].compactMap { $0 }
    case .server: [server, app].compactMap { $0 }
    }
  }
}
