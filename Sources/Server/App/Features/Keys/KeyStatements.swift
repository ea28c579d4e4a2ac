internal import FoundationEssentials
internal import Postgres
internal import Registry

extension Command where Self == Query<Void> {
  static func insertKey(key: KeyRecord, hash: [UInt8]) -> Self {
    Query(
      """
      INSERT INTO api_key (id, app_id, kind, label, hash, created_at)
      VALUES (\(key.id), \(key.appID), \(key.kind.rawValue), \(key.label), \(Bytea(hash)),
        \(key.createdAt))
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
  /// The number of keys in use of an app, or of root.
  static func countKeys(appID: Int32?) -> Self {
    Query("SELECT count(*) FROM api_key WHERE \(SQL.isOf(appID)) AND revoked_at IS NULL")
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
  /// The keys of an app, or of root, oldest first, revoked ones included: a page and one row more,
  /// or all.
  static func listKeys(appID: Int32?, after: TimeCursor, limit: Int?) -> Self {
    Query(
      """
      SELECT \(constant: KeyRecord.columns) FROM api_key
      WHERE \(SQL.isOf(appID)) AND (created_at, id) > (\(after.time), \(after.id))
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
