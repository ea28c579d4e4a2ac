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

  /// Answers it, unless it was.
  package func answer(_ result: Result<Value, PostgresError>) {
    isAnswered = true
    continuation.take()?.resume(returning: result)
  }

  fileprivate func fail(_ error: PostgresError) { answer(.failure(error)) }
}

/// A caller, whatever its answer is. To look through a list of a generic type in each cycle of a
/// loop takes longer than all else that a cycle without requests does.
private protocol AnswerableCaller: AnyObject {
  /// When its call began, in nanoseconds of the loop's clock.
  var since: UInt64 { get }
  var isAnswered: Bool { get }
  /// Answers it with a failure, unless it was answered.
  func fail(_ error: PostgresError)
}

/// The callers of a queue whose rounds go one after the other. None waits for longer than a call
/// may take: behind a round that stands still they would wait for that round and then for theirs.
package struct WaitingCallers {
  /// What a caller is told that has waited for too long.
  private let lateness: PostgresError
  /// In the order in which they came; those in front may have their answers.
  private var callers: [any AnswerableCaller] = []
  /// No call of theirs began before.
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

  /// Answers those whose calls began before a time; to be called in each cycle of the loop.
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
