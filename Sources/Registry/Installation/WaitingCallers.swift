package import Postgres

/// A caller that waits for a round of a queue, and is answered once.
package final class WaitingCaller<Value: Sendable>: AnswerableCaller {
  package typealias Continuation = UnsafeContinuation<Result<Value, PostgresError>, Never>

  let since: UInt64
  package private(set) var isAnswered = false
  private var continuation: Continuation?

  fileprivate init(_ continuation: Continuation, since: UInt64) {
    self.continuation = continuation
    self.since = since
  }

  /// Answers it, if it has no answer yet.
  package func answer(_ result: Result<Value, PostgresError>) {
    isAnswered = true
    continuation.take()?.resume(returning: result)
  }

  fileprivate func fail(_ error: PostgresError) { answer(.failure(error)) }
}

/// A caller, whatever the type of its answer is. The list below is looked through in each cycle of
/// a loop: with a generic type that took longer than the rest of a cycle without requests.
private protocol AnswerableCaller: AnyObject {
  /// When its call began, in nanoseconds of the loop's clock.
  var since: UInt64 { get }
  var isAnswered: Bool { get }
  /// Answers it with a failure, unless it was answered.
  func fail(_ error: PostgresError)
}

/// The callers that wait for the rounds of a queue. A caller gets an error once it has waited for
/// as long as a call may take. Otherwise, with a round that hangs, it would wait for that one and
/// then for its own.
package struct WaitingCallers {
  /// The error for a caller that has waited for too long.
  private let lateness: PostgresError
  /// In the order in which they came; the first ones may be answered already.
  private var callers: [any AnswerableCaller] = []
  /// When the oldest of their calls began.
  private var earliest = UInt64.max

  package init(lateness: PostgresError) { self.lateness = lateness }

  /// Adds a caller.
  /// - Parameter since: When its call began, in nanoseconds of the loop's clock.
  package mutating func add<Value>(
    _ continuation: WaitingCaller<Value>.Continuation, since: UInt64
  ) -> WaitingCaller<Value> {
    let caller = WaitingCaller(continuation, since: since)
    callers.append(caller)
    earliest = min(earliest, since)
    return caller
  }

  /// Gives the error to those whose calls began before a time. Call it in each cycle of the loop.
  /// - Returns: Whether there were any.
  package mutating func failLate(before limit: UInt64) -> Bool {
    callers.removeFirst(callers.prefix { $0.isAnswered }.count)
    guard earliest < limit else { return false }
    callers.removeAll(where: \.isAnswered)
    let late = callers.filter { $0.since < limit }
    for caller in late { caller.fail(lateness) }
    callers.removeAll(where: \.isAnswered)
    earliest = callers.map(\.since).min() ?? .max
    return !late.isEmpty
  }
}
