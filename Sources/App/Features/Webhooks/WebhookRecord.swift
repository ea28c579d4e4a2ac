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
  /// The secret before, which signs, too, until its time is over.
  var previousSecret: WebhookSecret?
  var previousUntil: Timestamp?
  /// All changes up to here are deliveries, or were not wanted.
  var cursor: ChangeCursor
  var failingSince: Timestamp?
  var createdAt: Timestamp
  var updatedAt: Timestamp
  /// Another one with every call that concerns deliveries; 0 until it is stored.
  var version: Int64 = 0

  /// The secrets that sign at a time, the present one first.
  func secrets(at now: Timestamp) -> [WebhookSecret] {
    guard let previousSecret, let previousUntil, now < previousUntil else { return [secret] }
    return [secret, previousSecret]
  }

  /// Whether it wants to know of an event.
  func wants(_ event: String) -> Bool { events?.contains(event) ?? true }
}

extension WebhookRecord {
  /// The list of a `SELECT` or `RETURNING`.
  static let columns = """
    webhook.app_id, webhook_id, url, description, events, is_enabled, disabled_reason, secret,
      previous_secret, previous_until, epoch, transaction_id, change_id, read_at, failing_since,
      webhook.created_at, webhook.updated_at, version
    """

  /// Reads a row of ``columns``.
  init(row: inout RowReader) throws(PostgresError) {
    func secret(_ bytes: Bytea) throws(PostgresError) -> WebhookSecret {
      guard let secret = WebhookSecret(bytes: bytes.bytes) else {
        throw PostgresError(.decoding, "a secret has a length that none has")
      }
      return secret
    }
    appID = try row.next()
    id = try row.next()
    url = try row.next()
    description = try row.next()
    events = try row.nextOptional()
    isEnabled = try row.next()
    disabledReason = try row.nextOptionalWord()
    self.secret = try secret(try row.next())
    let previous: Bytea? = try row.nextOptional()
    previousSecret = nil
    if let previous { previousSecret = try secret(previous) }
    previousUntil = try row.nextOptional()
    let epoch: Int64 = try row.next()
    let position = ChangePosition(transaction: try row.next(), id: try row.next())
    cursor = ChangeCursor(epoch: epoch, position: position, at: try row.next())
    failingSince = try row.nextOptional()
    createdAt = try row.next()
    updatedAt = try row.next()
    version = try row.next()
  }
}

/// An endpoint by app and id.
struct WebhookKey: Hashable, Sendable {
  let appID: Int32
  let id: UUID
}

extension WebhookRecord {
  /// Its key.
  var key: WebhookKey { WebhookKey(appID: appID, id: id) }
}

/// An endpoint as answers show it.
struct WebhookView: ListItem {
  let webhook: WebhookRecord
  /// Deliveries that the receiver has yet to get.
  let pending: Int64
  /// Only in the answer that makes it.
  var secret: WebhookSecret?

  /// How it stands, in a word.
  private var state: String {
    if !webhook.isEnabled { return "disabled" }
    return webhook.failingSince == nil ? "active" : "failing"
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("created_at", webhook.createdAt.rfc3339)
      writer.member("cursor", webhook.cursor.text)
      writer.member("description", webhook.description)
      writer.member("disabled_reason", webhook.disabledReason?.rawValue)
      writer.member("enabled", webhook.isEnabled)
      writer.key("events")
      if let events = webhook.events {
        writer.array(events) { $0.string($1) }
      } else {
        writer.null()
      }
      writer.member("failing_since", webhook.failingSince?.rfc3339)
      writer.member("id", webhook.id.text)
      writer.member("pending", pending)
      writer.member("previous_secret_until", webhook.previousUntil?.rfc3339)
      if let secret { writer.member("secret", secret.text) }
      writer.member("state", state)
      writer.member("updated_at", webhook.updatedAt.rfc3339)
      writer.member("url", webhook.url)
    }
  }

  static let columns: [CSVColumn<Self>] = [
    CSVColumn("id") { $0.webhook.id.text },
    CSVColumn("url") { $0.webhook.url },
    CSVColumn("description") { $0.webhook.description },
    CSVColumn("events") { $0.webhook.events?.joined(separator: " ") },
    CSVColumn("state") { $0.state },
    CSVColumn("disabled_reason") { $0.webhook.disabledReason?.rawValue },
    CSVColumn("failing_since") { $0.webhook.failingSince?.rfc3339 },
    CSVColumn("pending") { String($0.pending) },
    CSVColumn("created_at") { $0.webhook.createdAt.rfc3339 },
    CSVColumn("updated_at") { $0.webhook.updatedAt.rfc3339 },
  ]
}
