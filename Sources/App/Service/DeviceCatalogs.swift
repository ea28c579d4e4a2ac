internal import Localization
internal import Rendering

extension LoopContext {
  /// The catalogs that a device's texts may come from: that of its own app build, named by build
  /// or else by version, and the server's.
  func catalogs(for device: Device, of app: AppRecord) async throws -> Rendering.Catalogs {
    var own: CatalogStore.Loaded?
    for version in [device.appBuild, device.appVersion] where own == nil {
      own = try await catalog(version, of: app)
    }
    let server = try await catalog(CatalogStore.serverVersion, of: app)
    return Rendering.Catalogs(app: view(own, for: device), server: view(server, for: device))
  }

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
