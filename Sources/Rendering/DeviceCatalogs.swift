/// The catalogs that one device's texts may come from.
public struct DeviceCatalogs: Sendable, Hashable {
  /// That of the device's app build; nil when none was uploaded for it.
  public var app: CatalogView?
  /// That of the nearest build, where ``app`` is nil: its texts do for the server, its keys tell
  /// nothing of the device's.
  public var nearest: CatalogView?
  /// The server's own.
  public var server: CatalogView?

  /// Catalogs, as far as there are any.
  public init(
    app: CatalogView? = nil, nearest: CatalogView? = nil, server: CatalogView? = nil
  ) {
    self.app = app
    self.nearest = nearest
    self.server = server
  }

  /// The catalogs, in the fallback language where none of the device's languages is.
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
