internal import FoundationEssentials
internal import Postgres
internal import Registry

extension Command where Self == Query<Bool> {
  /// Stores a new key, or the new hash of the same key. Returns whether it is new, and no row if
  /// another key has the id.
  static func insertKey(key: KeyRecord, hash: [UInt8]) -> Self {
    Query(
      """
      INSERT INTO api_key (id, app_id, kind, label, hash, created_at)
      VALUES (\(key.id), \(key.appID), \(key.kind.rawValue), \(key.label), \(Bytea(hash)),
        \(key.createdAt))
      ON CONFLICT (id) DO UPDATE SET hash = excluded.hash
      WHERE api_key.app_id IS NOT DISTINCT FROM excluded.app_id
        AND api_key.kind = excluded.kind AND api_key.label = excluded.label
        AND api_key.revoked_at IS NULL
      RETURNING created_at = \(key.createdAt)
      """)
  }
}

extension SQL {
  /// The keys of an app, or of root.
  fileprivate static func isOf(_ appID: Int32?) -> SQL {
    appID.map { "app_id = \($0)" } ?? "app_id IS NULL"
  }
}

extension Command where Self == Query<Int64> {
  /// The number of other keys in use of an app, or of root.
  static func countKeys(appID: Int32?, besides id: UUID) -> Self {
    Query(
      """
      SELECT count(*) FROM api_key
      WHERE \(SQL.isOf(appID)) AND revoked_at IS NULL AND id <> \(id)
      """)
  }
}

extension Command where Self == Query<Void> {
  /// Forgets the revoked keys of an app, or of root, except the last ``Limits/revokedKeys`` of
  /// them.
  static func forgetRevokedKeys(appID: Int32?) -> Self {
    Query(
      """
      DELETE FROM api_key
      WHERE \(SQL.isOf(appID)) AND (revoked_at, id) <= (
        SELECT revoked_at, id FROM api_key
        WHERE \(SQL.isOf(appID)) AND revoked_at IS NOT NULL
        ORDER BY revoked_at DESC, id DESC OFFSET \(Limits.revokedKeys) LIMIT 1)
      """)
  }
}

extension Command where Self == Query<KeyRecord> {
  /// The keys of an app, or of root, oldest first, revoked ones included, or one of them: a page
  /// and one row more, or all.
  static func listKeys(
    appID: Int32?, id: UUID? = nil, after: TimeCursor = .start, limit: Int? = nil
  ) -> Self {
    Query(
      """
      SELECT \(constant: KeyRecord.columns) FROM api_key
      WHERE \(SQL.isOf(appID)) AND (\(id)::uuid IS NULL OR id = \(id))
        AND (created_at, id) > (\(after.time), \(after.id))
      ORDER BY created_at, id LIMIT \(limit.map { Int64($0 + 1) })
      """)
  }
}

extension Command where Self == Query<UUID> {
  /// Revokes a key; returns its id when the app, or root, has it. A root key then has this call as
  /// its origin, whatever its origin was: no configuration brings the key back.
  static func revokeKey(_ id: UUID, appID: Int32?, now: Timestamp) -> Self {
    Query(
      """
      UPDATE api_key SET revoked_at = coalesce(revoked_at, \(now)), origin = 'call'
      WHERE \(SQL.isOf(appID)) AND id = \(id)
      RETURNING id
      """)
  }
}
