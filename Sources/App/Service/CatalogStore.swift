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
    /// The bytes of its files, which its size in memory follows.
    let fileBytes: Int
  }

  private enum Entry {
    /// Someone reads it; others wait for the same reading.
    case loading(Task<Loaded?, any Error>)
    /// It is here, or known to be absent.
    case ready(Loaded?)
  }

  private struct Slot {
    var entry: Entry
    /// When it was last asked for, in questions.
    var lastUse: Int64

    var fileBytes: Int {
      if case .ready(let loaded?) = entry { loaded.fileBytes } else { 0 }
    }
  }

  private struct State {
    var slots: [Key: Slot] = [:]
    /// Questions so far; also names the catalogs.
    var questions: Int64 = 0

    /// Forgets what was not asked for the longest until the rest is within its bounds.
    mutating func trim() {
      var count = slots.count
      var bytes = slots.values.reduce(0) { $0 + $1.fileBytes }
      func isTooMuch() -> Bool {
        count > Limits.rememberedCatalogs || bytes > Limits.rememberedCatalogBytes
      }
      guard isTooMuch() else { return }
      for (key, slot) in slots.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
        guard isTooMuch(), count > 1 else { return }
        slots[key] = nil
        count -= 1
        bytes -= slot.fileBytes
      }
    }
  }
  private let state = Mutex(State())

  /// The catalog, `nil` when the app has none of that version.
  func catalog(_ key: Key, on context: LoopContext) async throws -> Loaded? {
    let entry = state.withLock { state in
      state.questions += 1
      let question = state.questions
      if let entry = state.slots[key]?.entry {
        state.slots[key]?.lastUse = question
        return entry
      }
      // Within the lock: a change that is told meanwhile must find the reading, and forget it.
      let entry = Entry.loading(
        Task(executorPreference: context.loop) {
          try await Self.load(key, id: question, context.database)
        })
      state.slots[key] = Slot(entry: entry, lastUse: question)
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
      guard case .loading(let current) = state.slots[key]?.entry, current == task else { return }
      guard let entry else {
        state.slots[key] = nil
        return
      }
      state.slots[key]?.entry = entry
      state.trim()
    }
  }

  /// The catalog was replaced or deleted: the next question reads it anew.
  func forget(_ key: Key) {
    state.withLock { $0.slots[key] = nil }
  }

  /// Anything may have changed.
  func forgetAll() {
    state.withLock { $0.slots.removeAll() }
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
    return Loaded(
      catalog: catalog, id: id, fileBytes: files.reduce(0) { $0 + $1.bytes.count })
  }
}
