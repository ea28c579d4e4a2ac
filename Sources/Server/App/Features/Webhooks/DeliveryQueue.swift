internal import Postgres
internal import Registry

/// The deliveries that an endpoint is yet to get, as a value. The shell asks which deliveries are
/// due, and tells how attempts ended.
///
/// Deliveries about one installation go one after the other: each goes when the receiver has the
/// delivery before, or when that delivery is given up. Deliveries about other installations do not
/// wait for them. So a delivery that the receiver cannot deal with holds up its own installation
/// alone. An endpoint whose last attempt failed gets one attempt at a time until one succeeds.
struct DeliveryQueue: Sendable {
  /// In their order.
  private(set) var pending: [PendingDelivery] = []
  /// The ids of deliveries with an attempt under way.
  private(set) var underWay: Set<String> = []
  /// When the first failed attempt after the last success began.
  private(set) var failingSince: Timestamp?
  private var rest: (from: Timestamp, until: Timestamp)?
  /// Whether an attempt has succeeded since the queue exists.
  private var hasSucceeded = false

  init(failingSince: Timestamp?) { self.failingSince = failingSince }

  /// The number of further deliveries that it can take.
  var room: Int { Limits.webhookWindow - pending.count }

  /// Whether the endpoint is not known to take deliveries.
  var isDoubtful: Bool { failingSince != nil || !hasSucceeded }

  /// Takes the stored deliveries. Attempts that are under way go on.
  mutating func load(_ stored: [PendingDelivery], failingSince: Timestamp?) {
    pending = stored
    self.failingSince = failingSince
    rest = nil
  }

  /// Takes further deliveries, behind all others.
  mutating func add(_ deliveries: [PendingDelivery]) {
    let ids = Set(deliveries.map(\.id))
    pending.removeAll { ids.contains($0.id) }
    pending += deliveries
  }

  /// The deliveries that may be attempted now, in their order.
  func due(at now: Timestamp) -> [PendingDelivery] {
    if let rest, rest.from.goesOn(until: rest.until, at: now) { return [] }
    var places = (isDoubtful ? 1 : Limits.webhookAttemptsAtOnce) - underWay.count
    var taken: Set<PendingDelivery.Lane> = []
    var due: [PendingDelivery] = []
    for delivery in pending where places > 0 {
      let lanes = delivery.lanes
      let isFree = taken.isDisjoint(with: lanes)
      taken.formUnion(lanes)
      guard isFree, delivery.isDue(at: now), !underWay.contains(delivery.id) else { continue }
      due.append(delivery)
      places -= 1
    }
    return due
  }

  mutating func begin(_ id: String) { underWay.insert(id) }

  /// Notes the end of an attempt.
  /// - Returns: The delivery after the attempt, and the verdict on it; `nil` when it was dropped
  ///   meanwhile.
  mutating func end(
    _ id: String, _ outcome: AttemptOutcome, began: Timestamp, at now: Timestamp
  ) -> (delivery: PendingDelivery, verdict: DeliveryVerdict)? {
    underWay.remove(id)
    if outcome.isDelivered {
      failingSince = nil
      hasSucceeded = true
    } else {
      failingSince = failingSince ?? began
    }
    guard let index = pending.firstIndex(where: { $0.id == id }) else { return nil }
    pending[index].attempts += 1
    pending[index].firstAttemptAt = pending[index].firstAttemptAt ?? began
    pending[index].lastAttemptAt = now
    let verdict = DeliveryVerdict(
      of: outcome, attempts: pending[index].attempts,
      began: pending[index].firstAttemptAt ?? began, failingSince: failingSince ?? began, at: now)
    let delivery: PendingDelivery
    switch verdict {
    case .delivered, .givenUp: delivery = pending.remove(at: index)
    case .tryAgain(let time):
      if let wanted = outcome.rest { rest = (now, now.advanced(by: wanted)) }
      pending[index].nextAttemptAt = time
      delivery = pending[index]
    case .disabled: delivery = pending[index]
    }
    return (delivery, verdict)
  }
}
