internal import FoundationEssentials
internal import Postgres
internal import Registry

/// What is known of a root key by its hash.
struct FindRootKey: Statement {
  struct Row: RowDecodable, Sendable {
    let id: UUID
    /// By a call, or by another configured key.
    let isRevoked: Bool
    let isRevokedByCall: Bool

    init(row: inout RowReader) throws(PostgresError) {
      id = try row.next()
      isRevoked = try row.next()
      isRevokedByCall = try row.next()
    }
  }
  static let sql = """
    SELECT id, revoked_at IS NOT NULL, revoked_at IS NOT NULL AND origin = 'call'
    FROM api_key WHERE app_id IS NULL AND hash = $1
    """
  let hash: [UInt8]

  func bind(to parameters: inout Parameters) { parameters.append(Bytea(hash)) }
}

/// Installs the root key of the configuration; one that is there, even retired, is in use again. It
/// retires the one that the configuration named before, and the one of the very first start, which
/// only stood in for it. Returns how many it retired.
struct InstallRootKey: Statement {
  typealias Row = Int64
  static let sql = """
    WITH retired AS (
      UPDATE api_key SET revoked_at = $3
      WHERE app_id IS NULL AND origin IN ('environment', 'first') AND revoked_at IS NULL
        AND hash <> $2
      RETURNING id
    )
    INSERT INTO api_key (id, app_id, kind, label, hash, created_at, origin)
    VALUES ($1, NULL, 'root', 'configured', $2, $3, 'environment')
    ON CONFLICT (hash) DO UPDATE SET revoked_at = NULL, origin = 'environment'
    RETURNING (SELECT count(*) FROM retired)
    """
  let id: UUID
  let hash: [UInt8]
  let now: Timestamp

  func bind(to parameters: inout Parameters) { parameters.append(id, Bytea(hash), now) }
}

/// Makes the very first root key, unless there has ever been one; returns its id if it was made.
struct InsertFirstRootKey: Statement {
  typealias Row = UUID
  static let sql = """
    INSERT INTO api_key (id, app_id, kind, label, hash, created_at, origin)
    SELECT $1, NULL, 'root', 'first', $2, $3, 'first'
    WHERE NOT EXISTS (SELECT FROM api_key WHERE kind = 'root')
    RETURNING id
    """
  let id: UUID
  let hash: [UInt8]
  let now: Timestamp

  func bind(to parameters: inout Parameters) { parameters.append(id, Bytea(hash), now) }
}

/// Lets one at a time decide on keys: of two instances that start together only one makes a first
/// root key, two root keys do not revoke each other, and two that make a key count each other's.
struct LockKeys: Statement {
  static let sql = "LOCK TABLE api_key IN SHARE ROW EXCLUSIVE MODE"
}
