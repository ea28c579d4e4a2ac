internal import Crypto
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

/// The conditions for entries of the audit log. An entry must meet all of them.
struct AuditFilter: Sendable {
  let operation: String?
  let keyID: UUID?
  let status: Int16?
  /// From this time on.
  let since: Timestamp?
  /// Before this time.
  let until: Timestamp?

  init(_ query: inout QueryReader) {
    operation = query.text("operation")
    keyID = query.parsed("key_id", .invalidUUID, "key_id is a UUID.") { UUID(text: $0) }
    status = query.parsed("status", .outOfRange, "status is a number from 100 to 599.") { text in
      Int16(text).flatMap { (100...599).contains($0) ? $0 : nil }
    }
    since = query.timestamp("since")
    until = query.timestamp("until")
  }

  fileprivate var condition: SQL {
    """
    (\(operation)::text IS NULL OR operation = \(operation))
      AND (\(keyID)::uuid IS NULL OR key_id = \(keyID))
      AND (\(status)::int2 IS NULL OR status = \(status))
      AND (\(since)::timestamptz IS NULL OR at >= \(since))
      AND (\(until)::timestamptz IS NULL OR at < \(until))
    """
  }
}

/// An entry and its number. The list is in the order of the numbers.
struct NumberedAuditEntry: Sendable {
  var id: Int64
  var entry: AuditEntry
}

extension Command where Self == Query<NumberedAuditEntry> {
  /// The entries of one app, newest first: a page and one row more, or all.
  static func listAudit(_ filter: AuditFilter, _ span: ListSpan<Int64>, appID: Int32) -> Self {
    listAudit(filter, span, of: "app_id = \(appID)")
  }

  /// All entries: of apps, also of deleted ones, and entries without an app.
  /// - Parameter app: The name that the app had at that time; `nil` for any.
  static func listAuditOfAllApps(
    _ filter: AuditFilter, _ span: ListSpan<Int64>, app: String?
  ) -> Self {
    listAudit(filter, span, of: app.map { "app = \($0)" } ?? "true")
  }

  private static func listAudit(
    _ filter: AuditFilter, _ span: ListSpan<Int64>, of apps: SQL
  ) -> Self {
    Query(
      """
      SELECT id, \(constant: AuditEntry.selection) FROM audit_log
      WHERE \(apps) AND \(filter.condition) AND id < \(span.after ?? .max)
      ORDER BY id DESC
      LIMIT \(span.limit.map { Int64($0 + 1) })
      """, into: NumberedAuditEntry.init)
  }
}
