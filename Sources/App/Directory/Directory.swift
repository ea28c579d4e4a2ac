internal import Crypto
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

  private struct State {
    var snapshot = Snapshot()
    var tickets = 0
    var loadedTicket = 0
  }
  private let state = Mutex(State())

  /// What is known now.
  var snapshot: Snapshot { state.withLock { $0.snapshot } }

  /// Reads everything anew. Of loads that overlap, the one that began last wins.
  func load(_ database: PostgresClient) async throws {
    let ticket = state.withLock { state in
      state.tickets += 1
      return state.tickets
    }
    var next = Snapshot()
    for app in try await database.read(AllApps()) { next.apps[app.slug] = app }
    for (hash, key) in try await database.read(KeysInUse()) { next.keys[hash] = key }
    next.keyIDs = Set(next.keys.values.map(\.id))
    let loaded = next
    state.withLock { state in
      guard ticket > state.loadedTicket else { return }
      state.loadedTicket = ticket
      state.snapshot = loaded
    }
  }
}

/// Every app.
struct AllApps: Statement {
  static let sql = """
    SELECT \(AppRecord.columns) FROM app WHERE deleted_at IS NULL
    """

  static func decode(_ row: inout RowReader) throws(PostgresError) -> AppRecord {
    try AppRecord(row: &row)
  }
}

/// Every key that is not revoked.
struct KeysInUse: Statement {
  static let sql = """
    SELECT hash, id, app_id, kind, label, created_at, revoked_at FROM api_key
    WHERE revoked_at IS NULL
    """

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (hash: [UInt8], key: KeyRecord) {
    (try row.next(Bytea.self).bytes, try KeyRecord(row: &row))
  }
}
