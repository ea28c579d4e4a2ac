internal import EventLoop
internal import Postgres
internal import Registry

/// Measures every few seconds what webhooks are yet to get. Each instance does, whichever delivers:
/// one that is frozen shows nothing.
///
/// It goes on for ever. While the database cannot be asked, the last measure stays.
func measureWaitingDeliveries(_ context: LoopContext, _ metrics: WebhookMetrics) async {
  while true {
    if let waiting = try? await waitingDeliveries(context) {
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
private func waitingDeliveries(
  _ context: LoopContext
) async throws -> (count: Int64, oldest: Timestamp?) {
  let webhooks = try await context.database.read(CountPendingDeliveries())
  guard !webhooks.isEmpty else { return (0, nil) }
  let unread = try await ChangeReader(context).pages(behind: webhooks.map(\.place), limit: 1)
  let times = webhooks.compactMap(\.oldest) + unread.compactMap { $0.changes.first?.at }
  return (webhooks.reduce(0) { $0 + $1.count }, times.min())
}

/// The place in the feed of each enabled webhook, how many of its deliveries are pending, and when
/// the change of the first one happened. Few are: ``Limits/webhookWindow`` of each at most.
struct CountPendingDeliveries: Statement {
  static let sql = """
    SELECT webhook.app_id, transaction_id, change_id, epoch,
      (SELECT count(*) FROM webhook_delivery AS d WHERE \(isPending)),
      (SELECT happened_at FROM webhook_delivery AS d WHERE \(isPending) ORDER BY number LIMIT 1)
    FROM webhook JOIN app ON app.id = webhook.app_id
    WHERE is_enabled AND deleted_at IS NULL
    """
  private static let isPending =
    "d.app_id = webhook.app_id AND d.webhook_id = webhook.webhook_id AND d.state = 'pending'"

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (place: ChangePlace, count: Int64, oldest: Timestamp?) {
    let place = ChangePlace(
      appID: try row.next(),
      position: ChangePosition(transaction: try row.next(), id: try row.next()),
      epoch: try row.next())
    return (place, try row.next(), try row.nextOptional())
  }
}
