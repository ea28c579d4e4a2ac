internal import CatalogFormats
internal import Localization
internal import Postgres

/// Catalogs in memory, read from their files in the database when first asked for. A catalog is
/// there whole or not at all; one that is replaced stays in use until the next question.
final class CatalogStore: Sendable {
  /// The version of the catalog that is not of any build: texts that only the server has.
  static let serverVersion = "server"

  /// One app's catalog of one version.
  struct Key: Hashable, Sendable {
    var appID: Int32
    var version: String
  }

  /// A catalog and the name of its contents, new with every replacement.
  struct Loaded: Sendable {
    let catalog: Catalog
    let id: Int64
    /// The bytes of its files, which its size in memory follows.
    let fileBytes: Int
  }

  private let cache = ReadThroughCache<Key, Loaded>(
    maximumCount: Limits.rememberedCatalogs, maximumBytes: Limits.rememberedCatalogBytes,
    bytes: \.fileBytes)

  /// The catalog, `nil` when the app has none of that version.
  func catalog(_ key: Key, on context: LoopContext) async throws -> Loaded? {
    try await cache.value(key, on: context.loop) { id in
      try await Self.load(key, id: id, context.database)
    }
  }

  /// The catalog was replaced or deleted: the next question reads it anew.
  func forget(_ key: Key) { cache.forget(key) }

  /// Anything may have changed.
  func forgetAll() { cache.forgetAll() }

  private static func load(
    _ key: Key, id: Int64, _ database: PostgresClient
  ) async throws -> Loaded? {
    guard
      let header = try await database.read(
        LoadCatalog(appID: key.appID, version: key.version)
      ).first
    else { return nil }
    let files = try await database.read(
      LoadCatalogFiles(appID: key.appID, version: key.version))
    // Parsing a large app takes longer than a request may hold its loop, so it leaves it.
    let catalog = await Task.detached {
      CatalogImporter.read(
        files, developmentLanguage: header.developmentLanguage, lints: false
      ).catalog
    }.value
    return Loaded(
      catalog: catalog, id: id, fileBytes: files.reduce(0) { $0 + $1.bytes.count })
  }
}
