import Postgres
import Synchronization

/// The breakers of all apps: stored in the database, where all instances share them. Memory keeps
/// what must not cost a transaction: the pushes that were taken, until a refusal makes them count,
/// and that a breaker was seen open a moment ago.
final class FeedbackBreakers: Sendable {
  /// One of an app's two breakers.
  struct Key: Hashable, Sendable {
    var appID: Int32
    var environment: Environment
  }

  private struct Known {
    var accepted: RecentCount
    var seenOpenAt: Timestamp?
  }
  private let known = Mutex<[Key: Known]>([:])

  /// Reports refused tokens that would go out of use by it, and pushes that were taken.
  func report(
    _ key: Key, refused: Set<DeviceToken>, accepted: Int, at now: Timestamp,
    in database: PostgresClient
  ) async throws -> FeedbackBreaker.Ruling {
    let pending = known.withLock { known -> Int? in
      var state = known[key] ?? Known(accepted: RecentCount(since: now))
      defer { known[key] = state }
      state.accepted.add(accepted, at: now)
      if refused.isEmpty || Self.isFresh(state.seenOpenAt, at: now) { return nil }
      defer { state.accepted = RecentCount(since: now) }
      return state.accepted.value(at: now)
    }
    guard let pending else {
      return FeedbackBreaker.Ruling(isOpen: !refused.isEmpty)
    }
    let ruling = try await change(key, at: now, in: database) { breaker in
      breaker.report(refused: refused, accepted: pending, at: now)
    }
    known.withLock { $0[key]?.seenOpenAt = ruling.isOpen ? now : nil }
    return ruling
  }

  /// An admin closes one.
  func close(
    _ key: Key, at now: Timestamp, in database: PostgresClient
  ) async throws -> [FeedbackBreaker.Event] {
    let events = try await change(key, at: now, in: database) { $0.close(at: now) }
    known.withLock { $0[key]?.seenOpenAt = nil }
    return events
  }

  private static func isFresh(_ seenOpenAt: Timestamp?, at now: Timestamp) -> Bool {
    seenOpenAt.map { $0.advanced(by: Limits.breakerGlance) > now } ?? false
  }

  /// Changes a stored breaker, one caller at a time.
  private func change<Result>(
    _ key: Key, at now: Timestamp, in database: PostgresClient,
    _ body: (inout FeedbackBreaker) -> Result
  ) async throws -> Result {
    try await database.transaction { transaction in
      let (appID, environment) = (key.appID, key.environment)
      transaction.add(InsertFeedbackBreaker(appID: appID, environment: environment, now: now))
      let stored = try await transaction.run(
        LockFeedbackBreaker(appID: appID, environment: environment))
      var breaker = stored.first ?? FeedbackBreaker(at: now)
      let result = body(&breaker)
      _ = try await transaction.run(
        UpdateFeedbackBreaker(appID: appID, environment: environment, breaker: breaker))
      return result
    }
  }
}
