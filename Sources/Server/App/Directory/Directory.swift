internal import ASCII
internal import Crypto
internal import EventLoop
internal import FoundationEssentials
internal import Postgres
internal import Synchronization

/// All apps and all keys in use, in memory. Every request asks the directory first.
///
/// It is loaded at the start, after each change by this instance, and whenever the database
/// notifies of another instance's change, so a revoked key stops working everywhere at once. A load
/// reads the ids of all apps and the hashes of all keys, and only those rows that the instance does
/// not know.
final class Directory: Sendable {
  /// The apps and keys that are known at one time.
  struct Snapshot: Sendable {
    var apps: [AppSlug: AppRecord] = [:]
    /// Keys in use by the SHA-256 of their text.
    var keys: [[UInt8]: KeyRecord] = [:]
    /// The ids of these keys.
    var keyIDs: Set<UUID> = []
  }

  private let renamed: @Sendable () -> Void
  private let current = Mutex(Snapshot())
  private let reading = SharedWork<Void, Void>()

  /// - Parameter renamed: Told that an app has another name or bundle id, which decide which of
  ///   several bundles of a catalog is its own.
  init(renamed: @escaping @Sendable () -> Void) { self.renamed = renamed }

  var snapshot: Snapshot { current.withLock { $0 } }

  /// Reads the changes. However many keys change at once, one reading is under way, and the next
  /// one has the time that the first who waits for it has left.
  func load(_ database: PostgresClient) async throws {
    try await reading.value(on: database.loop) { [self] in
      let read = try await snapshot.read(database)
      let before = current.withLock { current in
        defer { current = read }
        return current
      }
      if read.namesDiffer(from: before) { renamed() }
    }
  }
}

extension Directory.Snapshot {
  /// Whether an app of both has another name or bundle id.
  fileprivate func namesDiffer(from before: Self) -> Bool {
    apps.contains { slug, app in
      guard let known = before.apps[slug], known.id == app.id else { return false }
      return !known.name.isSpelled(like: app.name) || known.bundleID != app.bundleID
    }
  }

  /// The apps and keys that are known after a look at the database. A notice tells of apps and keys
  /// that go during the look.
  fileprivate func read(_ database: PostgresClient) async throws -> Self {
    var next = Self()
    let tags = try await database.read(.appTags()).first ?? [:]
    next.apps = apps.filter { tags[$0.value.id] == $0.value.tag }
    let knownApps = Set(next.apps.values.map(\.id))
    let newApps = tags.keys.filter { !knownApps.contains($0) }
    if !newApps.isEmpty {
      for app in try await database.read(.appsByID(ids: newApps)) { next.apps[app.slug] = app }
    }
    let present = Set(try await database.read(.keyHashes()).first ?? [])
    // A key that came back together with its app has the number of another app.
    next.keys = keys.filter { hash, key in
      present.contains(Bytea(hash)) && key.appID.map { tags[$0] != nil } ?? true
    }
    let newKeys = present.filter { next.keys[$0.bytes] == nil }
    if !newKeys.isEmpty {
      for (hash, key) in try await database.read(.keysByHash(hashes: Array(newKeys))) {
        next.keys[hash] = key
      }
    }
    next.keyIDs = Set(next.keys.values.map(\.id))
    return next
  }
}

extension Command where Self == Query<[Int32: Int64]> {
  /// The tags of all apps by their ids, in one row.
  static func appTags() -> Self {
    Query(
      """
      SELECT coalesce(array_agg(id), '{}'), coalesce(array_agg(tag), '{}')
      FROM app WHERE deleted_at IS NULL
      """
    ) { row in
      let (ids, tags) = (try row.next([Int32].self), try row.next([Int64].self))
      return Dictionary(zip(ids, tags)) { $1 }
    }
  }
}

extension Command where Self == Query<AppRecord> {
  static func appsByID(ids: [Int32]) -> Self {
    Query(
      """
      SELECT \(constant: AppRecord.columns) FROM app WHERE id = ANY (\(ids))
        AND deleted_at IS NULL
      """)
  }
}

extension Command where Self == Query<[Bytea]> {
  /// The SHA-256 of all keys that are not revoked, in one row.
  static func keyHashes() -> Self {
    Query("SELECT coalesce(array_agg(hash), '{}') FROM api_key WHERE revoked_at IS NULL")
  }
}

extension Command where Self == Query<(hash: [UInt8], key: KeyRecord)> {
  /// Some keys by the SHA-256 of their text. What has the same text stays the same while it is in
  /// use.
  static func keysByHash(hashes: [Bytea]) -> Self {
    Query(
      """
      SELECT hash, \(constant: KeyRecord.columns) FROM api_key WHERE hash = ANY (\(hashes))
        AND revoked_at IS NULL
      """
    ) { row in (try row.next(Bytea.self).bytes, try KeyRecord(row: &row)) }
  }
}
