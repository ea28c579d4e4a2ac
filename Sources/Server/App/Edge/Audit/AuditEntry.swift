import FoundationEssentials
import Postgres

/// A call of an admin or root key, or one of a sender key that exports or deletes, as the audit log
/// keeps it: who did what, when, from where, to which app, and how it ended.
struct AuditEntry: Sendable, Equatable {
  /// When the call came in.
  var at: Timestamp
  /// The app that the call was about. For a key that named an app it may not see, the app of the
  /// key.
  var appID: Int32?
  /// The app's name in that call: it may be another app's by now, or no app's.
  var app: String?
  var keyID: UUID
  var keyKind: APIKeyKind
  var keyLabel: String
  /// The `operationId`.
  var operation: String
  /// The other names in the path, a token by its first digits: `740f4707`.
  var target: String?
  /// The answer's status code.
  var status: Int16
  var requestID: String
  /// The address that the call came from: `192.0.2.60`; `nil` when it came through no connection,
  /// and in entries from before.
  var client: String?
}

extension AuditEntry: RowDecodable {
  /// The columns of an entry, without its number, in the order of the properties.
  static let selection =
    "at, app_id, app, key_id, key_kind, key_label, operation, target, status, request_id, client"

  init(row: inout RowReader) throws(PostgresError) { self = try row.next(into: Self.init) }
}

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
