internal import FoundationEssentials
internal import Postgres
internal import Registry

struct KnownRootKey: Sendable {
  let id: UUID
  /// Whether a call or another configured key revoked it.
  let isRevoked: Bool
  let isRevokedByCall: Bool
}

extension Command where Self == Query<KnownRootKey> {
  /// The root key with a hash, if there is one.
  static func rootKey(hash: [UInt8]) -> Self {
    Query(
      """
      SELECT id, revoked_at IS NOT NULL, revoked_at IS NOT NULL AND origin = 'call'
      FROM api_key WHERE app_id IS NULL AND hash = \(Bytea(hash))
      """, into: KnownRootKey.init)
  }
}

extension Command where Self == Query<Int64> {
  /// Installs the root key of the configuration. If the key is stored already, even retired, it is
  /// in use again. The statement retires the key that the configuration named before, and the key
  /// of the very first start, which only stood in for it. Returns the number of retired keys.
  static func installRootKey(id: UUID, hash: [UInt8], now: Timestamp) -> Self {
    Query(
      """
      WITH retired AS (
        UPDATE api_key SET revoked_at = \(now)
        WHERE app_id IS NULL AND origin IN ('environment', 'first') AND revoked_at IS NULL
          AND hash <> \(Bytea(hash))
        RETURNING id
      )
      INSERT INTO api_key (id, app_id, kind, label, hash, created_at, origin)
      VALUES (\(id), NULL, 'root', 'configured', \(Bytea(hash)), \(now), 'environment')
      ON CONFLICT (hash) DO UPDATE SET revoked_at = NULL, origin = 'environment'
      RETURNING (SELECT count(*) FROM retired)
      """)
  }
}

extension Command where Self == Query<UUID> {
  /// Makes the very first root key, unless there has ever been one; returns its id if it was made.
  static func insertFirstRootKey(id: UUID, hash: [UInt8], now: Timestamp) -> Self {
    Query(
      """
      INSERT INTO api_key (id, app_id, kind, label, hash, created_at, origin)
      SELECT \(id), NULL, 'root', 'first', \(Bytea(hash)), \(now), 'first'
      WHERE NOT EXISTS (SELECT FROM api_key WHERE kind = 'root')
      RETURNING id
      """)
  }
}

extension Command where Self == Query<Void> {
  /// Lets one transaction at a time decide on keys. So only one of two instances that start
  /// together makes a first root key, two root keys do not revoke each other, and two calls that
  /// make a key count each other's keys.
  static func lockKeys() -> Self {
    Query("LOCK TABLE api_key IN SHARE ROW EXCLUSIVE MODE")
  }
}
