internal import Crypto
internal import JSON
internal import Postgres
internal import Registry

/// An app as answers show it, with only the number of its secrets and the public part of its keys.
struct AppView: ListItem {
  let app: AppRecord

  static let fields = ItemFields<Self>([
    .text("app") { $0.app.slug.text },
    .text("bundle_id") { $0.app.bundleID.text },
    .json("bundle_ids") { $0.app.bundleIDs.map(\.text).cell },
    .text("name") { $0.app.name },
    .text("development_language") { $0.app.developmentLanguage },
    .text("identity_verification") { $0.app.identityVerification.rawValue },
    .number("identity_secret_count") { Int64($0.app.identitySecrets.count) },
    .json("identity_keys") { $0.app.identityKeys.map(PublicKeyView.init).jsonText },
    .number("identity_lifetime_days") { Int64($0.app.identityLifetimeDays) },
    .text("local_notification_key") { $0.app.localNotificationKey },
    .text("message_type_key") { $0.app.messageTypeKey },
    .json("activity_types") { $0.app.activityTypes.stored },
    .number("stale_after_days") { $0.app.staleAfterDays.map(Int64.init) },
    .text("created_at") { $0.app.createdAt.rfc3339 },
    .text("updated_at") { $0.app.updatedAt.rfc3339 },
    .member("warnings") { $1.member("warnings", $0.app.warnings) },
    .column("warnings") { $0.app.warnings.map(\.rawValue).joined(separator: " ") },
    .text("moving") { $0.app.moving?.rawValue },
  ])
}
