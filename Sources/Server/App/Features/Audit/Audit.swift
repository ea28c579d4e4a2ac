internal import Crypto
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

/// The audit log: the calls of admin and root keys, and the exports and deletions of sender keys,
/// for the app's own admins and for root.
enum Audit {
  static let endpoints: [Endpoint] = [
    .list(
      "/v1/apps/{app}/audit", "listAudit", .admin, view: AuditEntryView.init, position: \.id,
      mayLag: true
    ) { request, query, span in
      .listAudit(AuditFilter(&query), span, appID: request.app.id)
    },
    .list(
      "/v1/audit", "listAuditOfAllApps", .root, view: AuditEntryView.init, position: \.id,
      mayLag: true
    ) { _, query, span in
      .listAuditOfAllApps(AuditFilter(&query), span, app: query.text("app"))
    },
  ]
}

/// An entry as the lists show it.
struct AuditEntryView: ListItem {
  private let numbered: NumberedAuditEntry

  init(_ numbered: NumberedAuditEntry) { self.numbered = numbered }

  static let fields = ItemFields<Self>([
    .number("id") { $0.numbered.id },
    .text("at") { $0.numbered.entry.at.rfc3339 },
    .text("app") { $0.numbered.entry.app },
    .number("app_id") { $0.numbered.entry.appID.map(Int64.init) },
    .text("key_id") { $0.numbered.entry.keyID.text },
    .text("key_kind") { $0.numbered.entry.keyKind.rawValue },
    .text("key_label") { $0.numbered.entry.keyLabel },
    .text("operation") { $0.numbered.entry.operation },
    .text("target") { $0.numbered.entry.target },
    .number("status") { Int64($0.numbered.entry.status) },
    .text("request_id") { $0.numbered.entry.requestID },
    .text("client") { $0.numbered.entry.client },
  ])
}
