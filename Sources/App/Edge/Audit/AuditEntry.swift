import FoundationEssentials
import Postgres

/// A call of an admin or root key, or one of a sender key that exports or deletes, as the audit log
/// keeps it: who did what, when, from where, to which app, and how it ended.
struct AuditEntry: Sendable, Equatable {
  /// When the call came in.
  var at: Timestamp
  /// The app that the call was about; of a key that named an app it may not see, its own app.
  var appID: Int32?
  /// The app's name in that call: it may be another app's by now, or no app's.
  var app: String?
  var keyID: UUID
  var keyKind: APIKeyKind
  var keyLabel: String
  /// The `operationId`.
  var operation: String
  /// What else the path named, a token by its first digits: `740f4707`.
  var target: String?
  /// The answer's status code.
  var status: Int16
  var requestID: String
  /// The address that it came from: `192.0.2.60`; `nil` when it came through no connection, and of
  /// entries from before.
  var client: String?
}

extension AuditEntry {
  /// Reads the columns of ``selection``.
  init(row: inout RowReader) throws(PostgresError) {
    at = try row.next()
    appID = try row.nextOptional()
    app = try row.nextOptional()
    keyID = try row.next()
    keyKind = try row.nextWord()
    keyLabel = try row.next()
    operation = try row.next()
    target = try row.nextOptional()
    status = try row.next()
    requestID = try row.next()
    client = try row.nextOptional()
  }

  /// The columns of an entry, without its number.
  static let selection =
    "at, app_id, app, key_id, key_kind, key_label, operation, target, status, request_id, client"
}

/// Writes entries.
struct InsertAuditEntries: Statement {
  static let sql = """
    INSERT INTO audit_log (\(AuditEntry.selection))
    SELECT * FROM unnest(
        $1::timestamptz[], $2::int4[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::text[],
        $8::text[], $9::int2[], $10::text[], $11::text[])
    """
  let entries: [AuditEntry]

  func bind(to parameters: inout Parameters) {
    parameters.append(column: entries.map(\.at))
    parameters.append(column: entries.map(\.appID))
    parameters.append(column: entries.map(\.app))
    parameters.append(column: entries.map(\.keyID))
    parameters.append(column: entries.map(\.keyKind.rawValue))
    parameters.append(column: entries.map(\.keyLabel))
    parameters.append(column: entries.map(\.operation))
    parameters.append(column: entries.map(\.target))
    parameters.append(column: entries.map(\.status))
    parameters.append(column: entries.map(\.requestID))
    parameters.append(column: entries.map(\.client))
  }
}
