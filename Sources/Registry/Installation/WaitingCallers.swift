import EventLoop
import Postgres

/// A caller that waits for a round of a queue, and is answered once.
final class WaitingCaller<Value: Sendable> {
  typealias Continuation = UnsafeContinuation<Result<Value, PostgresError>, Never>

  /// When it came, in nanoseconds of the loop's clock.
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
}

/// The callers of a queue whose rounds go one after the other. None waits for longer than a call
/// may take: behind a round that stands still they would wait for that round and then for theirs.
struct WaitingCallers<Value: Sendable> {
  private let database: PostgresClient
  /// What a caller is told that has waited for too long.
  private let lateness: PostgresError
  /// In the order in which they came; those in front may have their answers.
  private var callers: [WaitingCaller<Value>] = []

  init(_ database: PostgresClient, lateness: PostgresError) {
    self.database = database
    self.lateness = lateness
  }

  /// Adds a caller.
  mutating func add(_ continuation: WaitingCaller<Value>.Continuation) -> WaitingCaller<Value> {
    let caller = WaitingCaller(continuation, since: database.loop.nanoseconds)
    callers.append(caller)
    return caller
  }

  /// Answers those that have waited for too long; to be called in each cycle of the loop.
  /// - Returns: Whether there were any.
  mutating func failLate() -> Bool {
    // By hand: this is done in each cycle, and for a generic type key paths, and what the standard
    // library does with closures, take longer than all else here.
    var answered = 0
    while answered < callers.count, callers[answered].isAnswered { answered += 1 }
    if answered > 0 { callers.removeSubrange(..<answered) }
    guard let first = callers.first else { return false }
    let (limit, isEarly) = database.loop.nanoseconds.subtractingReportingOverflow(
      database.answerNanoseconds)
    guard !isEarly, first.since < limit else { return false }
    let late = callers.prefix { $0.since < limit }
    for caller in late { caller.answer(.failure(lateness)) }
    return !late.isEmpty
  }
}
