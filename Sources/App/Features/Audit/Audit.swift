internal import FoundationEssentials
internal import Postgres
internal import Registry

/// The audit log: what admin and root keys did, for the app's own admins and for root.
enum Audit {
  static let endpoints: [Endpoint] = [
    .list(
      "/v1/apps/{app}/audit", "listAudit", .admin, view: AuditEntryView.init, position: \.id
    ) { request, query, span in
      ListAudit(filter: AuditFilter(&query), span: span, appID: request.app.id)
    },
    .list(
      "/v1/audit", "listAuditOfAllApps", .root, view: AuditEntryView.init, position: \.id
    ) { _, query, span in
      ListAuditOfAllApps(filter: AuditFilter(&query), span: span, app: query.text("app"))
    },
  ]
}

/// An entry as the lists show it.
struct AuditEntryView: Encodable, Sendable {
  private var numbered: NumberedAuditEntry

  init(_ numbered: NumberedAuditEntry) { self.numbered = numbered }

  private enum CodingKeys: String, CodingKey {
    case id, at, app, operation, target, status
    case appID = "app_id"
    case keyID = "key_id"
    case keyKind = "key_kind"
    case keyLabel = "key_label"
    case requestID = "request_id"
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    let entry = numbered.entry
    try fields.encode(numbered.id, forKey: .id)
    try fields.encode(entry.at.rfc3339, forKey: .at)
    try fields.encode(entry.app, forKey: .app)
    try fields.encode(entry.appID, forKey: .appID)
    try fields.encode(entry.keyID.uuidString.lowercased(), forKey: .keyID)
    try fields.encode(entry.keyKind, forKey: .keyKind)
    try fields.encode(entry.keyLabel, forKey: .keyLabel)
    try fields.encode(entry.operation, forKey: .operation)
    try fields.encode(entry.target, forKey: .target)
    try fields.encode(entry.status, forKey: .status)
    try fields.encode(entry.requestID, forKey: .requestID)
  }
}

extension AuditEntryView: ListItem {
  static let columns: [CSVColumn<Self>] = [
    CSVColumn("id") { String($0.numbered.id) },
    CSVColumn("at") { $0.numbered.entry.at.rfc3339 },
    CSVColumn("app") { $0.numbered.entry.app },
    CSVColumn("app_id") { $0.numbered.entry.appID.map { String($0) } },
    CSVColumn("key_id") { $0.numbered.entry.keyID.uuidString.lowercased() },
    CSVColumn("key_kind") { $0.numbered.entry.keyKind.rawValue },
    CSVColumn("key_label") { $0.numbered.entry.keyLabel },
    CSVColumn("operation") { $0.numbered.entry.operation },
    CSVColumn("target") { $0.numbered.entry.target },
    CSVColumn("status") { String($0.numbered.entry.status) },
    CSVColumn("request_id") { $0.numbered.entry.requestID },
  ]
}
