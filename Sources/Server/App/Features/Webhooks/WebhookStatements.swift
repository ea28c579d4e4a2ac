internal import FoundationEssentials
internal import Postgres
internal import Registry

extension Command where Self == Query<Int64> {
  static func countWebhooks(appID: Int32) -> Self {
    Query("SELECT count(*) FROM webhook WHERE app_id = \(appID)")
  }
}

extension Command where Self == Query<Void> {
  static func insertWebhook(webhook: WebhookRecord) -> Self {
    Query(
      """
      INSERT INTO webhook (app_id, webhook_id, url, description, events, is_enabled, secret,
        epoch, transaction_id, change_id, read_at, created_at, updated_at)
      VALUES (\(webhook.appID), \(webhook.id), \(webhook.url), \(webhook.description),
        \(webhook.events), \(webhook.isEnabled), \(webhook.secret),
        \(webhook.cursor.epoch), \(webhook.cursor.position.transaction),
        \(webhook.cursor.position.id), \(webhook.cursor.at), \(webhook.createdAt),
        \(webhook.updatedAt))
      """)
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

extension Command where Self == Query<WebhookView> {
  /// An app's endpoints, oldest first, or one of them, each with the number of its deliveries that
  /// are pending: a page and one row more, or all.
  static func listWebhooks(
    appID: Int32, id: UUID? = nil, after: TimeCursor = TimeCursor.start, limit: Int? = nil
  ) -> Self {
    Query(
      """
      SELECT \(constant: WebhookRecord.columns), (
        SELECT count(*) FROM webhook_delivery AS d
        WHERE d.app_id = webhook.app_id AND d.webhook_id = webhook.webhook_id
          AND d.state = 'pending')
      FROM webhook
      WHERE app_id = \(appID) AND (\(id)::uuid IS NULL OR webhook_id = \(id))
        AND (created_at, webhook_id) > (\(after.time), \(after.id))
      ORDER BY created_at, webhook_id LIMIT \(limit.map { Int64($0 + 1) })
      """
    ) { row in WebhookView(webhook: try row.next(), pending: try row.next()) }
  }
}

extension Command where Self == Query<Void> {
  /// Stores a call's changes of an endpoint, and tells the instance that delivers.
  static func updateWebhook(webhook: WebhookRecord) -> Self {
    Query(
      """
      UPDATE webhook SET url = \(webhook.url), description = \(webhook.description),
        events = \(webhook.events), is_enabled = \(webhook.isEnabled),
        disabled_reason = \(webhook.disabledReason?.rawValue),
          secret = \(webhook.secret),
          previous_secret = \(webhook.previousSecret),
          previous_until = \(webhook.previousUntil), epoch = \(webhook.cursor.epoch),
        transaction_id = \(webhook.cursor.position.transaction),
          change_id = \(webhook.cursor.position.id), read_at = \(webhook.cursor.at),
          failing_since = \(webhook.failingSince), updated_at = \(webhook.updatedAt),
        version = nextval('entity_tag')
      WHERE app_id = \(webhook.key.appID) AND webhook_id = \(webhook.key.id)
      """)
  }
}

extension Command where Self == Query<UUID> {
  /// Forgets an endpoint with its deliveries.
  static func deleteWebhook(key: WebhookKey) -> Self {
    Query(
      """
      DELETE FROM webhook WHERE app_id = \(key.appID)
        AND webhook_id = \(key.id) RETURNING webhook_id
      """)
  }
}

// MARK: To deliver

extension Command where Self == Query<Bool> {
  /// Whether there is an endpoint that wants deliveries.
  static func anyWebhook() -> Self {
    Query("SELECT EXISTS (SELECT FROM webhook WHERE is_enabled)")
  }
}

extension Command where Self == Query<(webhook: WebhookRecord, app: String)> {
  /// The endpoints of all apps that want deliveries, with the names of their apps.
  static func enabledWebhooks() -> Self {
    Query(
      """
      SELECT \(constant: WebhookRecord.columns), app.slug
        FROM webhook JOIN app ON app.id = webhook.app_id
      WHERE is_enabled AND deleted_at IS NULL AND moving IS NULL
      ORDER BY webhook.app_id, webhook_id
      """
    ) { row in (try row.next(), try row.next()) }
  }
}

extension Command where Self == Query<Void> {
  /// Stores since when attempts at an endpoint fail, and disables the endpoint if there is a
  /// reason.
  static func recordWebhookHealth(
    key: WebhookKey, failingSince: Timestamp?, disabled: DisabledReason?, version: Int64,
    lease: Int64
  ) -> Self {
    Query(
      """
      UPDATE webhook SET failing_since = \(failingSince), is_enabled = is_enabled
        AND \(disabled?.rawValue)::text IS NULL,
        disabled_reason = coalesce(\(disabled?.rawValue), disabled_reason)
      WHERE app_id = \(key.appID) AND webhook_id = \(key.id) AND is_enabled
        AND version = \(version)
        AND \(DatabaseLease.isHeld(WebhookDeliverer.lease, number: lease))
      """)
  }
}
