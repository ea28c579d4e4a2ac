internal import Crypto
internal import EventLoop
internal import FoundationEssentials
internal import Postgres
internal import Synchronization

/// All apps and all keys in use, in memory: what every request asks first.
///
/// It is loaded whole at the start, after each change by this instance, and whenever the database
/// notifies of another instance's change, so a revoked key stops working everywhere at once.
final class Directory: Sendable {
  /// What is known at one time.
  struct Snapshot: Sendable {
    var apps: [AppSlug: AppRecord] = [:]
    /// Keys in use by the SHA-256 of their text.
    var keys: [[UInt8]: KeyRecord] = [:]
    /// Their ids.
    var keyIDs: Set<UUID> = []
  }

  private struct Waiting {
    let continuation: UnsafeContinuation<Result<Void, any Error>, Never>
    let callStart: UInt64?
  }

  private struct State {
    var snapshot = Snapshot()
    var waiting: [Waiting] = []
    var isLoading = false
  }
  private let state = Mutex(State())

  /// What is known now.
  var snapshot: Snapshot { state.withLock { $0.snapshot } }

  /// How many wait for a reading that has not begun.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Reads everything anew. One reading is under way at a time; all who ask meanwhile share the one
  /// behind it, however many change keys at once. It has the time that the first of them has left.
  func load(_ database: PostgresClient) async throws {
    try await load(on: database.loop) { try await Self.read(database) }
  }

  /// The same with another way to read, on a loop.
  func load(
    on loop: EventLoop, _ read: @escaping @Sendable () async throws -> Snapshot
  ) async throws {
    try await withUnsafeContinuation { continuation in
      let begins = state.withLock { state in
        state.waiting.append(
          Waiting(continuation: continuation, callStart: CallStart.nanoseconds))
        defer { state.isLoading = true }
        return !state.isLoading
      }
      if begins { loop.execute { [self] in await readUntilNobodyWaits(read) } }
    }.get()
  }

  private func readUntilNobodyWaits(_ read: () async throws -> Snapshot) async {
    while true {
      let waiting = state.withLock { state in
        defer { state.waiting = [] }
        state.isLoading = !state.waiting.isEmpty
        return state.waiting
      }
      guard !waiting.isEmpty else { return }
      var result = Result<Void, any Error>.success(())
      do {
        let start = waiting.compactMap(\.callStart).min()
        let loaded = try await CallStart.$nanoseconds.withValue(start) { try await read() }
        state.withLock { $0.snapshot = loaded }
      } catch {
        result = .failure(error)
      }
      for caller in waiting { caller.continuation.resume(returning: result) }
    }
  }

  private static func read(_ database: PostgresClient) async throws -> Snapshot {
    var next = Snapshot()
    for app in try await database.read(AllApps()) { next.apps[app.slug] = app }
    for (hash, key) in try await database.read(KeysInUse()) { next.keys[hash] = key }
    next.keyIDs = Set(next.keys.values.map(\.id))
    return next
  }
}

/// Every app.
struct AllApps: Statement {
  typealias Row = AppRecord
  static let sql = """
    SELECT \(AppRecord.columns) FROM app WHERE deleted_at IS NULL
    """
}

/// Every key that is not revoked.
struct KeysInUse: Statement {
  static let sql = """
    SELECT hash, \(KeyRecord.columns) FROM api_key
    WHERE revoked_at IS NULL
    """

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (hash: [UInt8], key: KeyRecord) {
    (try row.next(Bytea.self).bytes, try KeyRecord(row: &row))
  }
}
