internal import Crypto
internal import JSON
internal import Postgres
internal import Registry

/// An app as answers show it: of its secrets only how many there are, of its keys the public part.
struct AppView: ListItem {
  let app: AppRecord

  private var identityKeys: [PublicKeyView] { app.identityKeys.map(PublicKeyView.init) }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("activity_types")
      writer.raw(app.activityTypes.stored.utf8)
      writer.member("app", app.slug.text)
      writer.member("bundle_id", app.bundleID.text)
      writer.member("bundle_ids", app.bundleIDs.map(\.text))
      writer.member("created_at", app.createdAt.rfc3339)
      writer.member("development_language", app.developmentLanguage)
      writer.member("identity_keys", identityKeys)
      writer.member("identity_lifetime_days", app.identityLifetimeDays)
      writer.member("identity_secret_count", app.identitySecrets.count)
      writer.member("identity_verification", app.identityVerification.rawValue)
      writer.member("local_notification_key", app.localNotificationKey)
      writer.member("message_type_key", app.messageTypeKey)
      writer.member("name", app.name)
      writer.member("stale_after_days", app.staleAfterDays)
      writer.member("updated_at", app.updatedAt.rfc3339)
      writer.member("warnings", app.warnings)
    }
  }

  static let columns: [CSVColumn<Self>] = [
    CSVColumn("app") { $0.app.slug.text },
    CSVColumn("bundle_id") { $0.app.bundleID.text },
    CSVColumn("bundle_ids") { $0.app.bundleIDs.map(\.text).cell },
    CSVColumn("name") { $0.app.name },
    CSVColumn("development_language") { $0.app.developmentLanguage },
    CSVColumn("identity_verification") { $0.app.identityVerification.rawValue },
    CSVColumn("identity_secret_count") { String($0.app.identitySecrets.count) },
    CSVColumn("identity_keys") { $0.identityKeys.jsonText },
    CSVColumn("identity_lifetime_days") { String($0.app.identityLifetimeDays) },
    CSVColumn("local_notification_key") { $0.app.localNotificationKey },
    CSVColumn("message_type_key") { $0.app.messageTypeKey },
    CSVColumn("activity_types") { $0.app.activityTypes.stored },
    CSVColumn("stale_after_days") { $0.app.staleAfterDays.map { String($0) } },
    CSVColumn("created_at") { $0.app.createdAt.rfc3339 },
    CSVColumn("updated_at") { $0.app.updatedAt.rfc3339 },
    CSVColumn("warnings") { $0.app.warnings.map(\.rawValue).joined(separator: " ") },
  ]
}
