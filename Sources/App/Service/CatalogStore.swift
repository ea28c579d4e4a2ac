internal import CatalogFormats
internal import Localization
internal import Postgres
internal import Synchronization

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
  }

  private enum Entry {
    /// Someone reads it; others wait for the same reading.
    case loading(Task<Loaded?, any Error>)
    /// It is here, or known to be absent.
    case ready(Loaded?)
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var generation: Int64 = 0
  }
  private let state = Mutex(State())

  /// The catalog, `nil` when the app has none of that version.
  func catalog(_ key: Key, on context: LoopContext) async throws -> Loaded? {
    let entry = state.withLock { state in
      if let entry = state.entries[key] { return entry }
      // Within the lock: a change that is told meanwhile must find the reading, and forget it.
      state.generation += 1
      let generation = state.generation
      let entry = Entry.loading(
        Task(executorPreference: context.loop) {
          try await Self.load(key, id: generation, context.database)
        })
      state.entries[key] = entry
      return entry
    }
    let task: Task<Loaded?, any Error>
    switch entry {
    case .ready(let loaded): return loaded
    case .loading(let running): task = running
    }
    do {
      let loaded = try await task.value
      finish(key, task, .ready(loaded))
      return loaded
    } catch {
      finish(key, task, nil)
      throw error
    }
  }

  /// Puts the outcome in place, unless the catalog was forgotten while it was read.
  private func finish(_ key: Key, _ task: Task<Loaded?, any Error>, _ entry: Entry?) {
    state.withLock { state in
      guard case .loading(let current) = state.entries[key], current == task else { return }
      // Unknown versions come from devices: a bound keeps them from filling memory.
      if state.entries.count > Limits.rememberedCatalogs {
        state.entries = state.entries.filter { if case .ready(nil) = $1 { false } else { true } }
      }
      if state.entries.count > Limits.rememberedCatalogs { state.entries.removeAll() }
      state.entries[key] = entry
    }
  }

  /// The catalog was replaced or deleted: the next question reads it anew.
  func forget(_ key: Key) {
    state.withLock { $0.entries[key] = nil }
  }

  /// Anything may have changed.
  func forgetAll() {
    state.withLock { $0.entries.removeAll() }
  }

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
    return Loaded(catalog: catalog, id: id)
  }
}
