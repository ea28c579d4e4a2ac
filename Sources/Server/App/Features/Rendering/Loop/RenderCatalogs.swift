internal import ASCII
internal import Content
internal import DeviceProfile
internal import Rendering

/// Finds the catalogs for the devices of one rendering, on its loop.
final class RenderCatalogs: @unchecked Sendable {
  private let app: AppRecord
  private let context: LoopContext
  private let metrics: RenderMetrics
  private var pinned = PinnedCatalogs()

  init(of app: AppRecord, _ context: LoopContext, _ metrics: RenderMetrics) {
    self.app = app
    self.context = context
    self.metrics = metrics
  }

  /// The catalogs that may have a device's texts: the catalog of its own app build, named by build
  /// or else by version, or of the nearest build; and the server's catalog.
  func catalogs(for device: Device) async throws -> DeviceCatalogs {
    var own: LoadedCatalog?
    for version in [device.appBuild, device.appVersion] where own == nil {
      own = try await catalog(version)
    }
    let server = try await catalog(CatalogKey.serverVersion)
    return DeviceCatalogs(
      app: context.content.view(own, for: device),
      nearest: own == nil ? try await nearest(for: device) : nil,
      server: context.content.view(server, for: device))
  }

  /// Whether no further catalog is kept.
  var areFull: Bool { pinned.isFull }

  /// The catalog of the nearest build.
  private func nearest(for device: Device) async throws -> CatalogView? {
    let versions: CatalogVersions
    if let known = pinned.versions {
      versions = known
    } else {
      versions = try await context.content.catalogVersions(of: app.id)
      pinned.versions = versions
    }
    let version = versions.nearest(build: device.appBuild, version: device.appVersion)
    var view = context.content.view(try await catalog(version), for: device)
    view?.nearestVersion = version
    return view
  }

  private func catalog(_ version: String?) async throws -> LoadedCatalog? {
    guard let version else { return nil }
    if let known = pinned[version] { return known }
    let catalog = try await context.content.catalog(version, of: app.id)
    pinned.pin(catalog, version)
    return catalog
  }

  /// Tells that devices of a build get texts of another build's catalog, once for each build.
  func tellMissing(_ build: String) {
    guard context.content.isNews(missing: build, of: app.id) else { return }
    metrics.catalogMissing(app.slug, build: build)
  }
}

/// The catalogs that a rendering has used: all its devices get their texts from the same ones,
/// whatever is replaced meanwhile.
private struct PinnedCatalogs {
  /// By version; nil where there is none.
  private var catalogs: [Spelling: LoadedCatalog?] = [:]
  /// The bytes of their files.
  private var bytes = 0
  /// The versions among which the nearest is looked for; nil until a device needs one.
  var versions: CatalogVersions?

  /// The catalog of a version, or that there is none; nil when it is not known.
  subscript(version: String) -> LoadedCatalog?? { catalogs[version] }

  var isFull: Bool {
    catalogs.count >= ContentLimits.rememberedCatalogs || bytes >= Limits.pinnedCatalogBytes
  }

  /// Keeps a catalog, or that there is none, within the bounds.
  mutating func pin(_ catalog: LoadedCatalog?, _ version: String) {
    guard !isFull else { return }
    catalogs[version] = .some(catalog)
    bytes += catalog?.fileBytes ?? 0
  }
}
