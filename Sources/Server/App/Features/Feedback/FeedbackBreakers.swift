import EventLoop
import Postgres
import Registry
import Synchronization

/// The breakers of all apps: stored in the database, where all instances share them.
///
/// A burst may be a thousand calls at once, which must not take all connections. So this instance
/// has one transaction at a time for a breaker, which reports for all calls that wait. If the
/// breaker was seen open a moment ago, no transaction is needed. The pushes that were taken are
/// kept here until a refusal is reported with them.
final class FeedbackBreakers: Sendable {
  /// What this instance knows of a breaker.
  private struct Known {
    /// The pushes that were taken and are not reported yet.
    var accepted: RecentCount
    var seenOpenAt: Timestamp?
    let reports = SharedWork<Set<DeviceToken>, FeedbackBreaker.Ruling>()
  }

  private let known = Mutex<[BreakerKey: Known]>([:])

  /// Reports refused tokens that the refusals would take out of use, and pushes that APNs took.
  func report(
    _ key: BreakerKey, refused: Set<DeviceToken>, accepted: Int, at now: Timestamp,
    in database: PostgresClient
  ) async throws -> FeedbackBreaker.Ruling {
    let (isOpen, reports) = change(key, at: now) { known in
      known.accepted.add(accepted, at: now)
      let isOpen =
        known.seenOpenAt.map { $0.goesOn(for: Limits.breakerStateLifetime, at: now) } ?? false
      return (isOpen, known.reports)
    }
    guard !refused.isEmpty, !isOpen else { return FeedbackBreaker.Ruling(isOpen: isOpen) }
    let (ruling, isOwn) = try await reports.value(refused, on: database.loop) { [self] refused in
      try await report(key, all: Set(refused.joined()), at: now, in: database)
    }
    // Only one of the calls gets the events and the tokens to restore.
    return isOwn ? ruling : FeedbackBreaker.Ruling(isOpen: ruling.isOpen)
  }

  private func report(
    _ key: BreakerKey, all refused: Set<DeviceToken>, at now: Timestamp,
    in database: PostgresClient
  ) async throws -> FeedbackBreaker.Ruling {
    let accepted = change(key, at: now) { known in
      defer { known.accepted = RecentCount(since: now) }
      return known.accepted.value(at: now)
    }
    do {
      let ruling = try await store(key, .feedback, at: now, in: database) {
        $0.report(refused: refused, accepted: accepted, at: now)
      }
      change(key, at: now) { $0.seenOpenAt = ruling.isOpen ? now : nil }
      return ruling
    } catch {
      // Whoever repeats the call is to be told the same.
      change(key, at: now) { $0.accepted.add(accepted, at: now) }
      throw error
    }
  }

  /// Closes a breaker for an admin.
  func close(
    _ key: BreakerKey, at now: Timestamp, in database: PostgresClient
  ) async throws -> [FeedbackBreaker.Event] {
    let ruling = try await store(key, .backend, at: now, in: database) {
      FeedbackBreaker.Ruling(events: $0.close(at: now))
    }
    change(key, at: now) { $0.seenOpenAt = nil }
    return ruling.events
  }

  private func change<Value: Sendable>(
    _ key: BreakerKey, at now: Timestamp, _ body: (inout Known) -> Value
  ) -> Value {
    known.withLock { body(&$0[key, default: Known(accepted: RecentCount(since: now))]) }
  }

  /// Changes a stored breaker while its row is locked, and stores its events.
  private func store(
    _ key: BreakerKey, _ source: TokenEvent.Source, at now: Timestamp, in database: PostgresClient,
    _ body: (inout FeedbackBreaker) -> FeedbackBreaker.Ruling
  ) async throws -> FeedbackBreaker.Ruling {
    try await database.transaction { transaction in
      transaction.add(LockApps(ids: [key.appID]))
      transaction.add(InsertFeedbackBreaker(key: key, now: now))
      let stored = try await transaction.run(LockFeedbackBreaker(key: key))
      var breaker = stored.first ?? FeedbackBreaker(at: now)
      let ruling = body(&breaker)
      transaction.add(UpdateFeedbackBreaker(key: key, breaker: breaker))
      for event in ruling.events {
        transaction.add(
          InsertAppEvent(
            event: AppEvent(
              appID: key.appID, name: event == .opened ? .breakerOpened : .breakerClosed,
              source: source, at: now, environment: key.environment)))
      }
      try await transaction.send()
      return ruling
    }
  }
}
