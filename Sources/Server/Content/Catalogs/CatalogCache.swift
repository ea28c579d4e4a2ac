internal import ASCII
internal import CatalogFormats
internal import EventLoop
internal import Localization
internal import Postgres
internal import Synchronization

/// Catalogs in memory, read from their files in the database when first asked for. A catalog is
/// there whole or not at all. A catalog that is replaced stays in use until it is asked for again.
final class CatalogCache: Sendable {
  private let cache = ReadThroughCache<CatalogKey, LoadedCatalog?>(
    maximumCount: ContentLimits.rememberedCatalogs,
    maximumBytes: ContentLimits.rememberedCatalogBytes,
    bytes: { $0?.fileBytes ?? 0 })

  private let versions = ReadThroughCache<Int32, CatalogVersions>(
    maximumCount: ContentLimits.rememberedCatalogs,
    maximumBytes: ContentLimits.rememberedVersionBytes,
    bytes: \.byteCount)
  /// Builds without a catalog that the log tells of, by app.
  private let missing = Mutex<[Int32: Set<Spelling>]>([:])
  private let workers: WorkerThreads

  /// - Parameter workers: The threads that read the files.
  init(workers: WorkerThreads) { self.workers = workers }

  /// The catalog, `nil` when the app has none of that version.
  func catalog(_ key: CatalogKey, _ database: PostgresClient) async throws -> LoadedCatalog? {
    try await cache.value(key, on: database.loop) { [workers] id in
      try await Self.load(key, id: id, database, workers)
    }
  }

  func versions(of appID: Int32, _ database: PostgresClient) async throws -> CatalogVersions {
    try await versions.value(appID, on: database.loop) { _ in
      CatalogVersions(
        try await database.read(
          .newestCatalogs(appID: appID, limit: ContentLimits.comparedCatalogs)))
    }
  }

  /// Whether it is news that a build has no catalog: nobody was told since the app's catalogs
  /// changed.
  func isNews(missing build: String, of appID: Int32) -> Bool {
    missing.withLock { missing in
      guard missing[appID, default: []].count < ContentLimits.toldMissingCatalogs else {
        return false
      }
      return missing[appID, default: []].insert(build)
    }
  }

  /// The catalog was replaced or deleted: the next question reads it anew.
  func forget(_ key: CatalogKey) {
    cache.forget(key)
    versions.forget(key.appID)
    missing.withLock { $0[key.appID] = nil }
  }

  /// Anything may have changed.
  func forgetAll() {
    cache.forgetAll()
    versions.forgetAll()
    missing.withLock { $0 = [:] }
  }

  private static func load(
    _ key: CatalogKey, id: Int64, _ database: PostgresClient, _ workers: WorkerThreads
  ) async throws -> LoadedCatalog? {
    guard let header = try await database.read(LoadRecord(key)).first else { return nil }
    let files = try await database.read(.loadCatalogFiles(key))
    let bytes = files.reduce(0) { $0 + $1.bytes.count }
    let catalog = try await workers.run(bytes: bytes) {
      CatalogImporter.read(
        files, developmentLanguage: header.developmentLanguage, appNames: header.appNames
      ).catalog
    }
    return LoadedCatalog(catalog: catalog, id: id, tag: header.tag, fileBytes: bytes)
  }
}
