import Postgres
import Registry
import Synchronization

/// The breakers of all apps: stored in the database, where all instances share them.
///
/// A burst may be a thousand calls at once, which must not take all connections. So this instance
/// has one transaction at a time for a breaker: one call, the reporter, reports for all calls that
/// wait. If the breaker was seen open a moment ago, no transaction is needed. The pushes that were
/// taken are kept here until a refusal is reported with them.
final class FeedbackBreakers: Sendable {
  /// What this instance knows of a breaker and has not reported yet.
  private struct Pending {
    var accepted: RecentCount
    var seenOpenAt: Timestamp?
    /// What the next transaction reports, and who waits for it.
    var refused: Set<DeviceToken> = []
    var waiting: [UnsafeContinuation<Role, Never>] = []
    var isBusy = false
  }

  private enum Role: Sendable {
    /// To report for all calls that wait.
    case reporter
    /// Another call has reported.
    case answered(Result<FeedbackBreaker.Ruling, any Error>)
  }

  private let pending = Mutex<[BreakerKey: Pending]>([:])

  /// Reports refused tokens that would go out of use by it, and pushes that were taken.
  func report(
    _ key: BreakerKey, refused: Set<DeviceToken>, accepted: Int, at now: Timestamp,
    in database: PostgresClient
  ) async throws -> FeedbackBreaker.Ruling {
    let role = await withUnsafeContinuation { (continuation: UnsafeContinuation<Role, Never>) in
      change(key, at: now) { pending in
        pending.accepted.add(accepted, at: now)
        let isOpen =
          pending.seenOpenAt.map { $0.advanced(by: Limits.breakerStateLifetime) > now } ?? false
        guard !refused.isEmpty, !isOpen else {
          continuation.resume(returning: .answered(.success(.init(isOpen: isOpen))))
          return
        }
        pending.refused.formUnion(refused)
        if pending.isBusy {
          pending.waiting.append(continuation)
        } else {
          pending.isBusy = true
          continuation.resume(returning: .reporter)
        }
      }
    }
    switch role {
    case .reporter: return try await reportAll(key, at: now, in: database)
    case .answered(let result): return try result.get()
    }
  }

  private func reportAll(
    _ key: BreakerKey, at now: Timestamp, in database: PostgresClient
  ) async throws -> FeedbackBreaker.Ruling {
    let (refused, accepted, followers) = change(key, at: now) { pending in
      defer {
        pending.refused = []
        pending.accepted = RecentCount(since: now)
        pending.waiting = []
      }
      return (pending.refused, pending.accepted.value(at: now), pending.waiting)
    }
    let result: Result<FeedbackBreaker.Ruling, any Error>
    do {
      result = .success(
        try await store(key, .feedback, at: now, in: database) {
          $0.report(refused: refused, accepted: accepted, at: now)
        })
    } catch {
      result = .failure(error)
    }
    change(key, at: now) { pending in
      pending.seenOpenAt = (try? result.get())?.isOpen == true ? now : nil
      pending.isBusy = !pending.waiting.isEmpty
      if pending.isBusy { pending.waiting.removeFirst().resume(returning: .reporter) }
    }
    // The reporter alone tells of the events and restores.
    let rest = result.map { FeedbackBreaker.Ruling(isOpen: $0.isOpen) }
    for follower in followers { follower.resume(returning: .answered(rest)) }
    return try result.get()
  }

  /// An admin closes one.
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
    _ key: BreakerKey, at now: Timestamp, _ body: (inout Pending) -> Value
  ) -> Value {
    pending.withLock { all in
      var pending = all[key] ?? Pending(accepted: RecentCount(since: now))
      defer { all[key] = pending }
      return body(&pending)
    }
  }

  /// Changes a stored breaker while its row is locked, and stores its events.
  private func store(
    _ key: BreakerKey, _ source: TokenEvent.Source, at now: Timestamp, in database: PostgresClient,
    _ body: (inout FeedbackBreaker) -> FeedbackBreaker.Ruling
  ) async throws -> FeedbackBreaker.Ruling {
    try await database.transaction { transaction in
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
