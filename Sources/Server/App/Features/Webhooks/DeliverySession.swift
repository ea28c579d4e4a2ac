internal import EventLoop
internal import FoundationEssentials
internal import Postgres
internal import Registry

/// Delivers while this instance holds the lease: it reads the feed, makes attempts, and stores how
/// they ended. Only the attempts leave its loop.
///
/// One transaction makes the deliveries of changes and moves their endpoint on in the feed. A
/// delivery is pending until a receiver has it. So after a kill at any time another instance goes
/// on from the state in the database; a delivery may go out twice then, with the same id. Each
/// write is conditional on the number of the lease: an instance that was frozen overwrites nothing
/// of its successor.
final class DeliverySession: @unchecked Sendable {
  /// An endpoint that is served.
  private struct ServedWebhook {
    var webhook: WebhookRecord
    let app: String
    var queue: DeliveryQueue
    /// The stored value of the queue's `failingSince`.
    var storedFailingSince: Timestamp?
    var disabled: DisabledReason?
    /// Deliveries that ended since the history was cut.
    var ended = 0
  }

  private let lease: DatabaseLease
  private let database: PostgresClient
  private let shared: Shared
  private let loop: EventLoop
  private let alarm: DeliveryAlarm
  private let sender: WebhookSender
  private let metrics: WebhookMetrics
  private var served: [WebhookKey: ServedWebhook] = [:]
  /// Decides which endpoint is first in the next round, so that none is always last.
  private var turn = 0
  private var attempts: [AttemptRecord] = []
  private var underWay = 0
  private var isOver = false

  init(
    _ session: ExclusiveSession, shared: Shared, loop: EventLoop, alarm: DeliveryAlarm,
    sender: WebhookSender, metrics: WebhookMetrics
  ) {
    lease = session.lease
    database = session.database
    self.shared = shared
    self.loop = loop
    self.alarm = alarm
    self.sender = sender
    self.metrics = metrics
  }

  /// The lease is over: attempts that still end are ignored.
  func end() { isOver = true }

  /// Delivers until there is no endpoint any more, the service stops, or another instance has taken
  /// the lease, for example because this one was frozen.
  func work(isStopping: () -> Bool) async throws {
    var nextLook: UInt64 = 0
    var lastEnd = UInt64.max
    while true {
      try await lease.confirm()
      try await store()
      if isStopping() {
        lastEnd = min(lastEnd, loop.deadline(in: Limits.webhookStopNanoseconds))
        if underWay == 0 || Monotonic.now() >= lastEnd { return }
      } else {
        if Monotonic.now() >= nextLook {
          guard try await look() else { return }
          nextLook = loop.deadline(in: Limits.webhookPauseNanoseconds)
        }
        begin()
      }
      await alarm.wait(nanoseconds: Limits.webhookPauseNanoseconds)
    }
  }

  // MARK: Looking

  /// Finds endpoints that came, changed or went, and new changes.
  /// - Returns: `false` when there is nothing to deliver to.
  private func look() async throws -> Bool {
    let enabled = try await database.read(.enabledWebhooks())
    var present: [WebhookKey: ServedWebhook] = [:]
    var unread: [WebhookKey] = []
    for (webhook, app) in enabled {
      let known = served[webhook.key]
      var entry =
        known
        ?? ServedWebhook(
          webhook: webhook, app: app, queue: DeliveryQueue(failingSince: webhook.failingSince),
          storedFailingSince: webhook.failingSince)
      if known?.webhook.version != webhook.version { unread.append(webhook.key) }
      entry.webhook = webhook
      present[webhook.key] = entry
    }
    served = present
    if !unread.isEmpty { try await load(unread) }
    try await readFeed()
    return !served.isEmpty || underWay > 0
  }

  /// Reads the pending deliveries of endpoints that somebody changed, or that are new here.
  private func load(_ keys: [WebhookKey]) async throws {
    var pending: [WebhookKey: [PendingDelivery]] = [:]
    for row in try await database.read(PendingDeliveries(keys: keys)) {
      pending[row.key, default: []].append(row.delivery)
    }
    for key in keys {
      guard var entry = served[key] else { continue }
      // Deliveries that ended meanwhile are not stored as ended yet.
      let over = Set(attempts.lazy.filter { $0.key == key && $0.next == nil }.map(\.delivery.id))
      entry.queue.load(
        (pending[key] ?? []).filter { !over.contains($0.id) },
        failingSince: entry.webhook.failingSince)
      entry.storedFailingSince = entry.webhook.failingSince
      entry.disabled = nil
      served[key] = entry
    }
  }

  /// Makes deliveries of changes while there is room for them.
  private func readFeed() async throws {
    let reader = ChangeReader(database: database, shared: shared)
    var keys = Array(served.keys)
    while true {
      keys = keys.filter { (served[$0]?.queue.room ?? 0) >= Limits.webhookPortion }
      let places = keys.compactMap { key in
        served[key].map {
          ChangePlace(
            appID: key.appID, position: $0.webhook.cursor.position, epoch: $0.webhook.cursor.epoch)
        }
      }
      guard !places.isEmpty else { return }
      let pages = try await reader.pages(behind: places, limit: Limits.webhookPortion)
      var more: [WebhookKey] = []
      for (key, page) in zip(keys, pages) {
        if try await take(page, for: key) { more.append(key) }
      }
      keys = more
    }
  }

  /// Makes deliveries of a page, and moves the endpoint on behind it.
  /// - Returns: Whether there are more changes.
  private func take(_ page: ChangePage, for key: WebhookKey) async throws -> Bool {
    guard let entry = served[key] else { return false }
    let webhook = entry.webhook
    let now = shared.clock().wholeMilliseconds
    var cursor = page.cursor
    var drafts: [DeliveryDraft]
    let loss = webhook.cursor.loss(in: page.life, goesOn: page.goesOn)
    if let loss {
      drafts = [DeliveryDraft(loss, id: shared.randomNumber(), at: now)]
      cursor = ChangeCursor(epoch: page.life.number, position: .start, at: now)
    } else {
      drafts = page.changes.filter { webhook.wants($0.event) }
        .map { DeliveryDraft($0, in: page.life) }
      let isOld = cursor.at >= webhook.cursor.at.advanced(by: Limits.webhookReadAge)
      guard cursor.position != webhook.cursor.position || isOld else { return false }
    }
    let rows = try await database.write(
      MakeDeliveries(
        webhook: webhook, cursor: cursor, drafts: drafts, now: now, lease: lease.number))
    guard !rows.isEmpty else {
      // Somebody else has changed the endpoint; the next look finds the change.
      served[key]?.webhook.version = 0
      return false
    }
    let numbers = Dictionary(rows.compactMap { $0 }.map { ($0.id, $0.number) }) { $1 }
    served[key]?.webhook.cursor = cursor
    served[key]?.queue.add(
      drafts.compactMap { draft in
        numbers[draft.id].map { PendingDelivery(draft, number: $0, at: now) }
      })
    return page.hasMore || loss != nil
  }

  // MARK: Attempts

  /// Begins the attempts that are due and for which there are places.
  private func begin() {
    let keys = served.keys.sorted { ($0.appID, $0.id.uuidString) < ($1.appID, $1.id.uuidString) }
    guard !keys.isEmpty else { return }
    turn += 1
    let now = shared.clock().wholeMilliseconds
    for index in keys.indices {
      let key = keys[(index + turn) % keys.count]
      guard let entry = served[key], entry.disabled == nil else { continue }
      let isDoubtful = entry.queue.isDoubtful
      for delivery in entry.queue.due(at: now) {
        guard sender.takePlace(for: key.appID, isDoubtful: isDoubtful) else { break }
        served[key]?.queue.begin(delivery.id)
        underWay += 1
        sender.attempt(
          delivery.id, delivery.body, to: entry.webhook, at: now, isDoubtful: isDoubtful
        ) { [self] outcome, milliseconds in
          loop.execute { [self] in ended(key, delivery.id, outcome, began: now, milliseconds) }
        }
      }
    }
  }

  private func ended(
    _ key: WebhookKey, _ id: String, _ outcome: AttemptOutcome, began: Timestamp,
    _ milliseconds: Int32
  ) {
    underWay -= 1
    // An attempt that broke off because the service ends is no failure of the receiver.
    guard !isOver else { return }
    defer { alarm.ring() }
    let now = shared.clock().wholeMilliseconds
    guard let (delivery, verdict) = served[key]?.queue.end(id, outcome, began: began, at: now)
    else { return }
    let attempt = AttemptRecord(
      key: key, delivery: delivery, verdict: verdict, outcome: outcome, began: began,
      milliseconds: milliseconds)
    attempts.append(attempt)
    metrics.attempted(
      attempt, app: served[key]?.app ?? "", isDisabled: served[key]?.disabled != nil)
    if case .disabled(let reason) = verdict { served[key]?.disabled = reason }
    if attempt.next == nil { served[key]?.ended += 1 }
  }

  // MARK: Storing

  /// Stores the results of attempts and the health of endpoints.
  private func store() async throws {
    if !attempts.isEmpty {
      let done = attempts
      attempts = []
      _ = try await database.write(RecordAttempts(attempts: done, lease: lease.number))
    }
    for (key, entry) in served {
      if entry.queue.failingSince != entry.storedFailingSince || entry.disabled != nil {
        _ = try await database.write(
          .recordWebhookHealth(
            key: key, failingSince: entry.queue.failingSince, disabled: entry.disabled,
            version: entry.webhook.version, lease: lease.number))
        served[key]?.storedFailingSince = entry.queue.failingSince
        if entry.disabled != nil { served[key] = nil }
      }
      if entry.ended >= Limits.webhookHistorySlack {
        _ = try await database.write(.cutDeliveries(key: key))
        served[key]?.ended = 0
      }
    }
  }
}

extension PendingDelivery {
  /// A delivery that was stored just now.
  init(_ draft: DeliveryDraft, number: Int64, at now: Timestamp) {
    self.init(
      id: draft.id, number: number, event: draft.event, installation: draft.installation,
      from: draft.from, body: draft.body, happenedAt: draft.happenedAt, nextAttemptAt: now)
  }
}
