import EventLoop
import Postgres

/// A caller that waits for a round of a queue, and is answered once.
final class WaitingCaller<Value: Sendable>: AnswerableCaller {
  typealias Continuation = UnsafeContinuation<Result<Value, PostgresError>, Never>

  let since: UInt64
  private(set) var isAnswered = false
  private var continuation: Continuation?

  fileprivate init(_ continuation: Continuation, since: UInt64) {
    self.continuation = continuation
    self.since = since
  }

  /// Answers it, unless it was.
  func answer(_ result: Result<Value, PostgresError>) {
    isAnswered = true
    continuation.take()?.resume(returning: result)
  }

  fileprivate func fail(_ error: PostgresError) { answer(.failure(error)) }
}

/// A caller, whatever its answer is. To look through a list of a generic type in each cycle of a
/// loop takes longer than all else that a cycle without requests does.
private protocol AnswerableCaller: AnyObject {
  /// When it came, in nanoseconds of the loop's clock.
  var since: UInt64 { get }
  var isAnswered: Bool { get }
  /// Answers it with a failure, unless it was answered.
  func fail(_ error: PostgresError)
}

/// The callers of a queue whose rounds go one after the other. None waits for longer than a call
/// may take: behind a round that stands still they would wait for that round and then for theirs.
struct WaitingCallers {
  private let database: PostgresClient
  /// What a caller is told that has waited for too long.
  private let lateness: PostgresError
  /// In the order in which they came; those in front may have their answers.
  private var callers: [any AnswerableCaller] = []

  init(_ database: PostgresClient, lateness: PostgresError) {
    self.database = database
    self.lateness = lateness
  }

  /// Adds a caller.
  mutating func add<Value>(
    _ continuation: WaitingCaller<Value>.Continuation
  ) -> WaitingCaller<Value> {
    let caller = WaitingCaller(continuation, since: database.loop.nanoseconds)
    callers.append(caller)
    return caller
  }

  /// Answers those that have waited for too long; to be called in each cycle of the loop.
  /// - Returns: Whether there were any.
  mutating func failLate() -> Bool {
    callers.removeFirst(callers.prefix { $0.isAnswered }.count)
    guard let first = callers.first else { return false }
    let (limit, isEarly) = database.loop.nanoseconds.subtractingReportingOverflow(
      database.answerNanoseconds)
    guard !isEarly, first.since < limit else { return false }
    let late = callers.prefix { $0.since < limit }
    for caller in late { caller.fail(lateness) }
    return !late.isEmpty
  }
}
