internal import EventLoop
package import Postgres

/// Does the work of a loop's calls in rounds: work that gathers in a cycle goes together, and work
/// that comes while all rounds are under way goes with the next one.
///
/// Lone work goes at once, and under load rounds grow; only ``BatchLoader`` lets some of its rounds
/// wait. A call is refused when too much waits, and is told when its time is over.
package final class Rounds<Work: Sendable, Answer: Sendable>: @unchecked Sendable {
  package typealias Queue = RoundQueue<Work, Answer>

  /// How a round ended: as ``RoundQueue/end(_:_:failure:)`` takes it.
  package typealias Ending = (endings: [Queue.Ending], failure: PostgresError?)

  private let database: PostgresClient
  private let name: String
  private let lateness: PostgresError?
  private let mayLeave: Bool
  private let takesLate: Bool
  private let ended: (Work, Queue.Outcome) -> Void
  private let take: (inout Queue) -> [Queue.Entry]?
  private let run: ([Work]) async -> Ending
  private var queue: Queue

  /// - Parameters:
  ///   - name: The word for the work that waits, in the error of a refused call: `requests`.
  ///   - lateness: The error for a call whose time is over; with `nil` a call waits until it is
  ///     served.
  ///   - mayLeave: Whether the work of such a call needs not be done any more.
  ///   - takesLate: Whether a call is taken if its time is over when it comes.
  ///   - ended: Told how work ended, also if its call was told earlier that its time is over.
  ///   - take: Begins a round, if it may and one is due.
  ///   - run: Does the work of a round.
  package init(
    _ database: PostgresClient, _ bounds: Queue.Bounds, of name: String, lateness: PostgresError?,
    mayLeave: Bool = false, takesLate: Bool = false,
    ended: @escaping (Work, Queue.Outcome) -> Void = { _, _ in },
    take: @escaping (inout Queue) -> [Queue.Entry]? = { $0.takeRound() },
    run: @escaping ([Work]) async -> Ending
  ) {
    self.database = database
    self.name = name
    self.lateness = lateness
    self.mayLeave = mayLeave
    self.takesLate = takesLate
    self.ended = ended
    self.take = take
    self.run = run
    queue = Queue(bounds)
  }

  /// Begins to serve; on the loop.
  package func start() { database.loop.atCycleEnd(CycleEnd { self.cycleEnded() }) }

  package var waitingCount: Int { queue.waiting.count }

  /// Has work done, on the loop; on return the work is done.
  /// - Throws: `.overloaded` when too much waits; an error when the call's time is over; the error
  ///   of the round.
  package func perform(_ work: Work) async throws(PostgresError) -> Answer {
    precondition(database.loop.isCurrent, "call this on the loop of the rounds")
    let since = database.callStart
    do throws(PostgresError) {
      if !takesLate { try database.refuseLate(since) }
      guard !queue.isFull else {
        throw PostgresError(.overloaded, "too many \(name) wait", isSafeToRetry: true)
      }
    } catch {
      ended(work, .failure(error))
      throw error
    }
    return try await withUnsafeContinuation { queue.add(work, since: since, $0) }.get()
  }

  private func cycleEnded() {
    if let lateness {
      queue.failLate(before: database.lateBefore, lateness, mayLeave: mayLeave)
    }
    while let round = take(&queue) {
      database.loop.execute { [self] in
        let (endings, failure) = await run(round.map(\.work))
        for (entry, outcome) in queue.end(round, endings, failure: failure) {
          ended(entry.work, outcome)
          entry.answer(outcome)
        }
      }
    }
  }
}

extension PostgresError {
  /// Whether there was no connection for as long as a call may wait: the others need not wait
  /// again.
  var isOfNoConnection: Bool { code == .disconnected && isSafeToRetry }
}

/// Calls a closure. The compiler makes the closure for the types that the caller of
/// ``Rounds/start()`` knows. A method of a generic class would be called through a protocol, and
/// look up its types in tables that all loops share, several times a cycle.
private final class CycleEnd: CycleEndHandler {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }

  func loopCycleEnded() { body() }
}
