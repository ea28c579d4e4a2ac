internal import EventLoop
internal import FoundationEssentials
internal import Postgres
internal import Registry

/// Measures every few seconds the deliveries that webhooks are yet to get. Each instance measures,
/// whichever delivers, as a frozen instance shows nothing.
///
/// It goes on for ever. While the database cannot be asked, the last measure stays.
func measureWaitingDeliveries(_ context: LoopContext, _ metrics: WebhookMetrics) async {
  var ages = WaitingAges()
  while true {
    if let waiting = try? await waitingDeliveries(context) {
      metrics.waiting(
        waiting.count,
        oldest: ages.oldestSeconds(
          waiting.oldest, at: context.shared.clock(), monotonic: Monotonic.now()))
    }
    await context.loop.sleep(nanoseconds: Limits.webhookMeasureNanoseconds)
  }
}

/// How long deliveries have waited, as a value. The clock of the database tells the time of a
/// change, and it may go back behind that time. So the first item of an endpoint has waited at
/// least as long as it was seen to be first, by the clock that never jumps.
///
///     happened at 12:00:00, seen first when that clock said 100; now 11:58:00, and that clock says
///     130 → 30 s
struct WaitingAges: Sendable {
  /// The first item of an endpoint: a delivery, or a change that is no delivery yet.
  struct First: Hashable {
    var webhook: UUID
    var isDelivery: Bool
    var happenedAt: Timestamp
  }
  private var seen: [First: UInt64] = [:]

  /// The longest wait of an item; 0 where there is none.
  mutating func oldestSeconds(
    _ firsts: [First], at now: Timestamp, monotonic: UInt64
  ) -> Int64 {
    seen = Dictionary(firsts.map { ($0, seen[$0] ?? monotonic) }) { min($0, $1) }
    let ages = seen.map { first, since in
      max(
        now.microseconds(since: first.happenedAt) / 1_000_000,
        Int64((monotonic - since) / 1_000_000_000))
    }
    return ages.max() ?? 0
  }
}

/// The number of pending deliveries, and the first items of each enabled webhook. A first item may
/// be a change without a delivery, for example when no instance delivers.
private func waitingDeliveries(
  _ context: LoopContext
) async throws -> (count: Int64, oldest: [WaitingAges.First]) {
  let webhooks = try await context.database.read(.countPendingDeliveries())
  guard !webhooks.isEmpty else { return (0, []) }
  let unread = try await ChangeReader(context).pages(behind: webhooks.map(\.place), limit: 1)
  let firsts = zip(webhooks, unread).flatMap { webhook, page in
    [(true, webhook.oldest), (false, page.changes.first?.at)].compactMap { isDelivery, time in
      time.map {
        WaitingAges.First(webhook: webhook.id, isDelivery: isDelivery, happenedAt: $0)
      }
    }
  }
  return (webhooks.reduce(0) { $0 + $1.count }, firsts)
}

extension Command
where Self == Query<(id: UUID, place: ChangePlace, count: Int64, oldest: Timestamp?)> {
  /// The place in the feed of each enabled webhook, the number of its pending deliveries, and when
  /// the change of the first delivery happened. There are at most ``Limits/webhookWindow`` of each
  /// webhook.
  static func countPendingDeliveries() -> Self {
    let isPending: SQL =
      "d.app_id = webhook.app_id AND d.webhook_id = webhook.webhook_id AND d.state = 'pending'"
    return Query(
      """
      SELECT webhook_id, webhook.app_id, transaction_id, change_id, epoch,
        (SELECT count(*) FROM webhook_delivery AS d WHERE \(isPending)),
        (SELECT happened_at FROM webhook_delivery AS d WHERE \(isPending) ORDER BY number LIMIT 1)
      FROM webhook JOIN app ON app.id = webhook.app_id
      WHERE is_enabled AND deleted_at IS NULL AND moving IS NULL
      """
    ) { row in
      let id: UUID = try row.next()
      let place = ChangePlace(
        appID: try row.next(), position: try row.next(), epoch: try row.next())
      return (id, place, try row.next(), try row.next())
    }
  }
}
