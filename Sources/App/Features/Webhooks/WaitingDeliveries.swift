internal import EventLoop
internal import FoundationEssentials
internal import Postgres
internal import Registry

/// Measures every few seconds what webhooks are yet to get. Each instance does, whichever delivers:
/// one that is frozen shows nothing.
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

/// How long deliveries have waited, as a value. The time of a change is told by the clock of the
/// database, which may go back behind it. So what is first of an endpoint has waited at least as
/// long as it was seen to be first, by the clock that never jumps.
///
///     happened at 12:00:00, seen first when that clock said 100; now 11:58:00, and that clock says
///     130 → 30 s
struct WaitingAges: Sendable {
  /// What is first of an endpoint: a delivery, or a change that is none yet.
  struct First: Hashable {
    var webhook: UUID
    var isDelivery: Bool
    var happenedAt: Timestamp
  }
  private var seen: [First: UInt64] = [:]

  /// The longest that one has waited; 0 where there is none.
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

/// How many deliveries are pending, and what is first of each enabled webhook. That may be a change
/// of which nobody has made a delivery, as when none delivers.
private func waitingDeliveries(
  _ context: LoopContext
) async throws -> (count: Int64, oldest: [WaitingAges.First]) {
  let webhooks = try await context.database.read(CountPendingDeliveries())
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

/// The place in the feed of each enabled webhook, how many of its deliveries are pending, and when
/// the change of the first one happened. Few are: ``Limits/webhookWindow`` of each at most.
struct CountPendingDeliveries: Statement {
  static let sql = """
    SELECT webhook_id, webhook.app_id, transaction_id, change_id, epoch,
      (SELECT count(*) FROM webhook_delivery AS d WHERE \(isPending)),
      (SELECT happened_at FROM webhook_delivery AS d WHERE \(isPending) ORDER BY number LIMIT 1)
    FROM webhook JOIN app ON app.id = webhook.app_id
    WHERE is_enabled AND deleted_at IS NULL
    """
  private static let isPending =
    "d.app_id = webhook.app_id AND d.webhook_id = webhook.webhook_id AND d.state = 'pending'"

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (id: UUID, place: ChangePlace, count: Int64, oldest: Timestamp?) {
    let id: UUID = try row.next()
    let place = ChangePlace(
      appID: try row.next(),
      position: ChangePosition(transaction: try row.next(), id: try row.next()),
      epoch: try row.next())
    return (id, place, try row.next(), try row.nextOptional())
  }
}
