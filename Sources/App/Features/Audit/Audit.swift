internal import Crypto
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

/// The audit log: what admin and root keys did, and what sender keys exported or deleted, for the
/// app's own admins and for root.
enum Audit {
  static let endpoints: [Endpoint] = [
    .list(
      "/v1/apps/{app}/audit", "listAudit", .admin, view: AuditEntryView.init, position: \.id,
      mayLag: true
    ) { request, query, span in
      ListAudit(filter: AuditFilter(&query), span: span, appID: request.app.id)
    },
    .list(
      "/v1/audit", "listAuditOfAllApps", .root, view: AuditEntryView.init, position: \.id,
      mayLag: true
    ) { _, query, span in
      ListAuditOfAllApps(filter: AuditFilter(&query), span: span, app: query.text("app"))
    },
  ]
}

/// An entry as the lists show it.
struct AuditEntryView: ListItem {
  private let numbered: NumberedAuditEntry

  init(_ numbered: NumberedAuditEntry) { self.numbered = numbered }

  func write(to writer: inout JSONWriter) {
    let entry = numbered.entry
    writer.object { writer in
      writer.member("app", entry.app)
      writer.member("app_id", entry.appID)
      writer.member("at", entry.at.rfc3339)
      writer.member("client", entry.client)
      writer.member("id", numbered.id)
      writer.member("key_id", entry.keyID.text)
      writer.member("key_kind", entry.keyKind.rawValue)
      writer.member("key_label", entry.keyLabel)
      writer.member("operation", entry.operation)
      writer.member("request_id", entry.requestID)
      writer.member("status", entry.status)
      writer.member("target", entry.target)
    }
  }

  static let columns: [CSVColumn<Self>] = [
    CSVColumn("id") { String($0.numbered.id) },
    CSVColumn("at") { $0.numbered.entry.at.rfc3339 },
    CSVColumn("app") { $0.numbered.entry.app },
    CSVColumn("app_id") { $0.numbered.entry.appID.map { String($0) } },
    CSVColumn("key_id") { $0.numbered.entry.keyID.text },
    CSVColumn("key_kind") { $0.numbered.entry.keyKind.rawValue },
    CSVColumn("key_label") { $0.numbered.entry.keyLabel },
    CSVColumn("operation") { $0.numbered.entry.operation },
    CSVColumn("target") { $0.numbered.entry.target },
    CSVColumn("status") { String($0.numbered.entry.status) },
    CSVColumn("request_id") { $0.numbered.entry.requestID },
    CSVColumn("client") { $0.numbered.entry.client },
  ]
}
