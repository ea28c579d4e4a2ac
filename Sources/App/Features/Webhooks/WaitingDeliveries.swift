internal import EventLoop
internal import Postgres

/// Measures every few seconds what webhooks are yet to get. Each instance does, whichever delivers:
/// one that is frozen shows nothing.
///
/// It goes on for ever. While the database cannot be asked, the last measure stays.
func measureWaitingDeliveries(_ context: LoopContext, _ metrics: WebhookMetrics) async {
  while true {
    if let waiting = try? await context.database.read(WaitingDeliveries()).first {
      let now = context.shared.clock()
      metrics.waiting(
        waiting.count,
        oldest: waiting.oldest.map { max(0, now.microseconds - $0.microseconds) / 1_000_000 } ?? 0)
    }
    await context.loop.sleep(nanoseconds: Limits.webhookMeasureNanoseconds)
  }
}

/// How many deliveries are pending, and when the oldest change happened that an enabled webhook is
/// yet to get. That may be one of which nobody has made a delivery, as when none delivers.
struct WaitingDeliveries: Statement {
  static let sql = """
    WITH served AS (
      SELECT webhook.* FROM webhook JOIN app ON app.id = webhook.app_id
      WHERE is_enabled AND deleted_at IS NULL
    ), waiting AS (
      SELECT count(*) AS number, min(happened_at) AS oldest
      FROM served JOIN webhook_delivery AS d
        ON d.app_id = served.app_id AND d.webhook_id = served.webhook_id AND d.state = 'pending'
    ), unread AS (
      SELECT min(change.at) AS oldest FROM served CROSS JOIN LATERAL (
        (
          SELECT at FROM token_history AS h WHERE h.app_id = served.app_id AND \(isUnread)
            AND event <> 'replaced'
          ORDER BY transaction_id, id LIMIT 1
        ) UNION ALL (
          SELECT at FROM app_history AS h WHERE h.app_id = served.app_id AND \(isUnread)
          ORDER BY transaction_id, id LIMIT 1
        )
      ) AS change
    )
    SELECT number, least(waiting.oldest, unread.oldest) FROM waiting, unread
    """
  private static let isUnread =
    "(h.transaction_id, h.id) > (served.transaction_id, served.change_id)"

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (count: Int64, oldest: Timestamp?) {
    (try row.next(), try row.nextOptional())
  }
}
