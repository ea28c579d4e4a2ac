internal import FoundationEssentials
internal import Postgres
internal import Registry

/// How many endpoints an app has.
struct CountWebhooks: Statement {
  typealias Row = Int64
  static let sql = "SELECT count(*) FROM webhook WHERE app_id = $1"
  let appID: Int32

  func bind(to parameters: inout Parameters) { parameters.append(appID) }
}

/// Stores a new endpoint.
struct InsertWebhook: Statement {
  static let sql = """
    INSERT INTO webhook (app_id, webhook_id, url, description, events, is_enabled, secret, epoch,
      transaction_id, change_id, read_at, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    """
  let webhook: WebhookRecord

  func bind(to parameters: inout Parameters) {
    parameters.append(
      webhook.appID, webhook.id, webhook.url, webhook.description, webhook.events,
      webhook.isEnabled, Bytea(webhook.secret.bytes))
    parameters.append(webhook.cursor)
    parameters.append(webhook.createdAt, webhook.updatedAt)
  }
}

extension Parameters {
  /// Appends the four columns of a place in the feed.
  mutating func append(_ cursor: ChangeCursor) {
    append(cursor.epoch)
    append(cursor.position.transaction)
    append(cursor.position.id)
    append(cursor.at)
  }

  /// Appends the two columns of a key.
  mutating func append(_ key: WebhookKey) {
    append(key.appID)
    append(key.id)
  }
}

/// An app's endpoints, oldest first, or one of them, each with the number of its deliveries that
/// are pending: a page and one row more, or all.
struct ListWebhooks: Statement {
  static let sql = """
    SELECT \(WebhookRecord.columns), (
      SELECT count(*) FROM webhook_delivery AS d
      WHERE d.app_id = webhook.app_id AND d.webhook_id = webhook.webhook_id AND d.state = 'pending')
    FROM webhook
    WHERE app_id = $1 AND ($2::uuid IS NULL OR webhook_id = $2)
      AND (created_at, webhook_id) > ($3, $4)
    ORDER BY created_at, webhook_id LIMIT $5
    """
  let appID: Int32
  var id: UUID?
  var after = TimeCursor.start
  var limit: Int?

  func bind(to parameters: inout Parameters) {
    parameters.append(appID, id, after.time, after.id, limit.map { Int64($0 + 1) })
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> WebhookView {
    WebhookView(webhook: try WebhookRecord(row: &row), pending: try row.next())
  }
}

/// Stores what a call changed of an endpoint, and tells those that deliver.
struct UpdateWebhook: Statement {
  static let sql = """
    UPDATE webhook SET url = $3, description = $4, events = $5, is_enabled = $6,
      disabled_reason = $7, secret = $8, previous_secret = $9, previous_until = $10, epoch = $11,
      transaction_id = $12, change_id = $13, read_at = $14, failing_since = $15, updated_at = $16,
      version = nextval('entity_tag')
    WHERE app_id = $1 AND webhook_id = $2
    """
  let webhook: WebhookRecord

  func bind(to parameters: inout Parameters) {
    parameters.append(webhook.key)
    parameters.append(
      webhook.url, webhook.description, webhook.events, webhook.isEnabled,
      webhook.disabledReason?.rawValue, Bytea(webhook.secret.bytes),
      webhook.previousSecret.map { Bytea($0.bytes) }, webhook.previousUntil)
    parameters.append(webhook.cursor)
    parameters.append(webhook.failingSince, webhook.updatedAt)
  }
}

/// Forgets an endpoint with its deliveries.
struct DeleteWebhook: Statement {
  typealias Row = UUID
  static let sql = """
    DELETE FROM webhook WHERE app_id = $1 AND webhook_id = $2 RETURNING webhook_id
    """
  let key: WebhookKey

  func bind(to parameters: inout Parameters) { parameters.append(key) }
}

// MARK: To deliver

/// Whether there is an endpoint that wants deliveries.
struct AnyWebhook: Statement {
  typealias Row = Bool
  static let sql = "SELECT EXISTS (SELECT FROM webhook WHERE is_enabled)"
}

/// The endpoints of all apps that want deliveries, with the names of their apps.
struct EnabledWebhooks: Statement {
  static let sql = """
    SELECT \(WebhookRecord.columns), app.slug FROM webhook JOIN app ON app.id = webhook.app_id
    WHERE is_enabled AND deleted_at IS NULL
    ORDER BY webhook.app_id, webhook_id
    """

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (webhook: WebhookRecord, app: String) {
    (try WebhookRecord(row: &row), try row.next())
  }
}

/// Notes since when attempts at an endpoint fail, and disables it for a reason.
struct RecordWebhookHealth: Statement {
  static let sql = """
    UPDATE webhook SET failing_since = $3, is_enabled = is_enabled AND $4::text IS NULL,
      disabled_reason = coalesce($4, disabled_reason)
    WHERE app_id = $1 AND webhook_id = $2 AND is_enabled AND version = $5
      AND \(DatabaseLease.isHeld(WebhookDeliverer.lease, number: "$6"))
    """
  let key: WebhookKey
  let failingSince: Timestamp?
  let disabled: DisabledReason?
  let version: Int64
  let lease: Int64

  func bind(to parameters: inout Parameters) {
    parameters.append(key)
    parameters.append(failingSince, disabled?.rawValue, version, lease)
  }
}
