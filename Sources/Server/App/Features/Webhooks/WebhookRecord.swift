internal import Crypto
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

/// An endpoint of an app: a receiver of its changes.
struct WebhookRecord: Sendable {
  var appID: Int32
  var id: UUID
  var url: String
  var description: String
  /// The events that it wants; `nil` for all.
  var events: [String]?
  var isEnabled: Bool
  /// Why the service disabled it.
  var disabledReason: DisabledReason?
  var secret: WebhookSecret
  /// The previous secret, which signs, too, until its time is over.
  var previousSecret: WebhookSecret?
  var previousUntil: Timestamp?
  /// All changes up to here are deliveries, or were not wanted.
  var cursor: ChangeCursor
  var failingSince: Timestamp?
  var createdAt: Timestamp
  var updatedAt: Timestamp
  /// Every call that concerns deliveries gives the endpoint a new version; 0 until it is stored.
  var version: Int64 = 0

  /// The secrets that sign at a time, the present one first.
  func secrets(at now: Timestamp) -> [WebhookSecret] {
    guard let previousSecret, let previousUntil, now < previousUntil else { return [secret] }
    return [secret, previousSecret]
  }

  func wants(_ event: String) -> Bool { events?.contains(event) ?? true }
}

extension WebhookRecord: RowDecodable {
  /// The list of a `SELECT` or `RETURNING`, in the order of the properties.
  static let columns = """
    webhook.app_id, webhook_id, url, description, events, is_enabled, disabled_reason, secret,
      previous_secret, previous_until, epoch, transaction_id, change_id, read_at, failing_since,
      webhook.created_at, webhook.updated_at, version
    """

  init(row: inout RowReader) throws(PostgresError) { self = try row.next(into: Self.init) }
}

struct WebhookKey: Hashable, Sendable {
  let appID: Int32
  let id: UUID
}

extension WebhookRecord {
  var key: WebhookKey { WebhookKey(appID: appID, id: id) }
}

/// An endpoint as answers show it.
struct WebhookView: ListItem {
  let webhook: WebhookRecord
  /// Deliveries that the receiver has yet to get.
  let pending: Int64
  /// Only in the answer to the call that makes the secret.
  var secret: WebhookSecret?

  /// The state in a word: `active`, `failing` or `disabled`.
  private var state: String {
    if !webhook.isEnabled { return "disabled" }
    return webhook.failingSince == nil ? "active" : "failing"
  }

  static let fields = ItemFields<Self>([
    .text("id") { $0.webhook.id.text },
    .text("url") { $0.webhook.url },
    .text("description") { $0.webhook.description },
    .words("events") { $0.webhook.events },
    .text("state") { $0.state },
    .text("disabled_reason") { $0.webhook.disabledReason?.rawValue },
    .text("failing_since") { $0.webhook.failingSince?.rfc3339 },
    .number("pending") { $0.pending },
    .text("created_at") { $0.webhook.createdAt.rfc3339 },
    .text("updated_at") { $0.webhook.updatedAt.rfc3339 },
    .text("cursor") { $0.webhook.cursor.text }.withoutColumn,
    .member("enabled") { $1.member("enabled", $0.webhook.isEnabled) },
    .text("previous_secret_until") { $0.webhook.previousUntil?.rfc3339 }.withoutColumn,
    .member("secret") { if let secret = $0.secret { $1.member("secret", secret.text) } },
  ])
}
