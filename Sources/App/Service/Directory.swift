internal import Crypto
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

extension AppRecord {
  /// The list of a `SELECT` or `RETURNING`.
  static let columns = """
    id, slug, bundle_id, name, development_language, identity_verification, identity_secrets,
    identity_keys, local_notification_key, message_type_key, stale_after_days, created_at,
    updated_at, tag
    """

  /// Reads a row of ``columns``.
  init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    guard let slug = AppSlug(try row.next()), let bundleID = BundleID(try row.next()) else {
      throw PostgresError(.decoding, "a stored app has a malformed name")
    }
    self.slug = slug
    self.bundleID = bundleID
    name = try row.next()
    developmentLanguage = try row.next()
    identityVerification = try row.nextWord()
    identitySecrets = try row.next()
    identityKeys = try row.next([String].self).compactMap(PublicKey.init(pem:))
    localNotificationKey = try row.next()
    messageTypeKey = try row.nextOptional()
    staleAfterDays = try row.nextOptional()
    createdAt = try row.next()
    updatedAt = try row.next()
    tag = try row.next()
  }
}

extension KeyRecord {
  /// Reads `id, app_id, kind, label, created_at, revoked_at`.
  init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    appID = try row.nextOptional()
    kind = try row.nextWord()
    label = try row.next()
    createdAt = try row.next()
    revokedAt = try row.nextOptional()
  }
}
