internal import Localization
internal import Rendering

extension LoopContext {
  /// An app's catalog of a version, if there is one.
  func catalog(_ version: String?, of app: AppRecord) async throws -> CatalogStore.Loaded? {
    guard let version else { return nil }
    return try await shared.catalogs.catalog(
      CatalogStore.Key(appID: app.id, version: version), on: self)
  }

  /// A catalog as a device sees it.
  func view(_ loaded: CatalogStore.Loaded?, for device: Device) -> CatalogView? {
    loaded.map { loaded in
      CatalogView(
        loaded.catalog,
        chain: matches.chain(for: device.languages, in: loaded.catalog, catalogID: loaded.id))
    }
  }
}
