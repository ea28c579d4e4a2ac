internal import FoundationEssentials
internal import Postgres
internal import Registry

/// Stores a key's hash.
struct InsertKey: Statement {
  static let sql = """
    INSERT INTO api_key (id, app_id, kind, label, hash, created_at)
    VALUES ($1, $2, $3, $4, $5, $6)
    """
  let key: KeyRecord
  let hash: [UInt8]

  func bind(to parameters: inout Parameters) {
    parameters.append(key.id, key.appID, key.kind.rawValue, key.label, Bytea(hash), key.createdAt)
  }
}

/// How many keys of an app are in use, or of root.
struct CountKeys: Statement {
  typealias Row = Int64
  static let sql = "SELECT count(*) FROM api_key WHERE \(ofApp) AND revoked_at IS NULL"
  fileprivate static let ofApp = "(app_id = $1::int4 OR $1::int4 IS NULL AND app_id IS NULL)"
  let appID: Int32?

  func bind(to parameters: inout Parameters) { parameters.append(appID) }
}

/// Forgets the keys of an app, or of root, that were revoked long ago: behind so many others.
struct ForgetRevokedKeys: Statement {
  static let sql = """
    DELETE FROM api_key
    WHERE \(CountKeys.ofApp) AND (revoked_at, id) <= (
      SELECT revoked_at, id FROM api_key
      WHERE \(CountKeys.ofApp) AND revoked_at IS NOT NULL
      ORDER BY revoked_at DESC, id DESC OFFSET $2 LIMIT 1)
    """
  let appID: Int32?

  func bind(to parameters: inout Parameters) { parameters.append(appID, Limits.revokedKeys) }
}

/// The keys of an app, or of root, oldest first, revoked ones included: a page and one row more, or
/// all.
struct ListKeys: Statement {
  typealias Row = KeyRecord
  static let sql = """
    SELECT \(KeyRecord.columns) FROM api_key
    WHERE \(CountKeys.ofApp) AND (created_at, id) > ($2, $3)
    ORDER BY created_at, id LIMIT $4
    """
  let appID: Int32?
  let after: TimeCursor
  let limit: Int?

  func bind(to parameters: inout Parameters) {
    parameters.append(appID, after.time, after.id, limit.map { Int64($0 + 1) })
  }
}

/// Revokes a key; returns its id when the app, or root, has it. Whatever the origin of a root key
/// was, from now on it is this call: no configuration brings the key back.
struct RevokeKey: Statement {
  typealias Row = UUID
  static let sql = """
    UPDATE api_key SET revoked_at = coalesce(revoked_at, $3), origin = 'call'
    WHERE \(CountKeys.ofApp) AND id = $2
    RETURNING id
    """
  let appID: Int32?
  let id: UUID
  let now: Timestamp

  func bind(to parameters: inout Parameters) { parameters.append(appID, id, now) }
}
