internal import Crypto
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

/// Which entries of the audit log are asked for: all conditions hold.
struct AuditFilter: Sendable {
  let operation: String?
  let keyID: UUID?
  let status: Int16?
  /// From this time on.
  let since: Timestamp?
  /// Before this time.
  let until: Timestamp?

  /// Reads the query parameters.
  init(_ query: inout QueryReader) {
    operation = query.text("operation")
    keyID = query.parsed("key_id", .invalidUUID, "key_id is a UUID.") { UUID(text: $0) }
    status = query.parsed("status", .outOfRange, "status is a number from 100 to 599.") { text in
      Int16(text).flatMap { (100...599).contains($0) ? $0 : nil }
    }
    since = query.timestamp("since")
    until = query.timestamp("until")
  }

  /// A list, newest first, over the parameters `$1` to `$7` and a further condition; one row more
  /// than the limit, if there is one.
  fileprivate static func list(where condition: String) -> String {
    """
    SELECT id, \(AuditEntry.selection) FROM audit_log
    WHERE \(condition)
      AND ($1::text IS NULL OR operation = $1)
      AND ($2::uuid IS NULL OR key_id = $2)
      AND ($3::int2 IS NULL OR status = $3)
      AND ($4::timestamptz IS NULL OR at >= $4)
      AND ($5::timestamptz IS NULL OR at < $5)
      AND id < $6
    ORDER BY id DESC
    LIMIT $7
    """
  }

  fileprivate func bind(
    _ span: ListSpan<Int64>, to parameters: inout Parameters
  ) {
    parameters.append(
      operation, keyID, status, since, until, span.after ?? .max, span.limit.map { Int64($0 + 1) })
  }
}

/// An entry and its number, by which the list goes.
struct NumberedAuditEntry: Sendable, RowDecodable {
  var id: Int64
  var entry: AuditEntry

  init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    entry = try AuditEntry(row: &row)
  }
}

/// What was done to one app.
struct ListAudit: Statement {
  typealias Row = NumberedAuditEntry
  static let isPlannedEachTime = true
  static let sql = AuditFilter.list(where: "app_id = $8")
  let filter: AuditFilter
  let span: ListSpan<Int64>
  let appID: Int32

  func bind(to parameters: inout Parameters) {
    filter.bind(span, to: &parameters)
    parameters.append(appID)
  }
}

/// What was done at all: to apps, also to those that are gone, and to none.
struct ListAuditOfAllApps: Statement {
  typealias Row = NumberedAuditEntry
  static let isPlannedEachTime = true
  static let sql = AuditFilter.list(where: "($8::text IS NULL OR app = $8)")
  let filter: AuditFilter
  let span: ListSpan<Int64>
  /// The name of an app at that time.
  let app: String?

  func bind(to parameters: inout Parameters) {
    filter.bind(span, to: &parameters)
    parameters.append(app)
  }
}
