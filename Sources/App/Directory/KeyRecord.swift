internal import FoundationEssentials
internal import Postgres

/// A key as the registry knows it; the secret itself is nowhere.
struct KeyRecord: Sendable, Equatable {
  var id: UUID
  /// The app it belongs to; `nil` for a root key.
  var appID: Int32?
  var kind: APIKeyKind
  var label: String
  var createdAt: Timestamp
  var revokedAt: Timestamp?

  /// Whether it may see an app at all.
  func sees(_ app: AppRecord) -> Bool { appID == nil || appID == app.id }
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
