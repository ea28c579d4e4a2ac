package import Postgres

/// Work that waits for a round, as a value: ``Rounds`` asks which work goes together and says how
/// it ended, then acts.
package struct RoundQueue<Work, Answer: Sendable> {
  package typealias Outcome = Result<Answer, PostgresError>

  /// How much it takes.
  package struct Bounds: Sendable {
    /// Work that waits.
    var waiting: Int
    /// Work of one round.
    var perRound: Int
    /// Rounds under way.
    var underWay: Int

    package init(waiting: Int, perRound: Int, underWay: Int) {
      self.waiting = waiting
      self.perRound = perRound
      self.underWay = underWay
    }
  }

  /// Work that waits or is under way, with its caller, who is answered once.
  package final class Entry: RoundCaller {
    package typealias Caller = UnsafeContinuation<Outcome, Never>

    package let work: Work
    /// Whether it goes in a round of its own.
    fileprivate(set) var isAlone = false
    private var caller: Caller?

    fileprivate init(_ work: Work, since: UInt64, _ caller: Caller?) {
      self.work = work
      self.caller = caller
      super.init(since: since)
    }

    /// Answers the caller, unless it was answered.
    func answer(_ outcome: Outcome) {
      isAnswered = true
      caller.take()?.resume(returning: outcome)
    }

    fileprivate override func fail(_ error: PostgresError) { answer(.failure(error)) }
  }

  /// What becomes of work at the end of its round.
  package enum Ending {
    /// Its caller is told.
    case done(Outcome)
    /// It goes with a later round, before work that came later.
    case again
    /// The same, and in a round of its own: the others may have failed because of it.
    case againAlone
  }

  private let bounds: Bounds
  package private(set) var waiting: [Entry] = []
  /// The callers of work that waits or is under way, in the order in which they came; the first
  /// ones may be answered already.
  private var callers: [RoundCaller] = []
  /// When the oldest of their calls began.
  private var earliest = UInt64.max
  private var roundsUnderWay = 0

  package init(_ bounds: Bounds) { self.bounds = bounds }

  /// Whether nothing more may wait.
  package var isFull: Bool { waiting.count >= bounds.waiting }

  /// Whether a round may begin.
  var mayBegin: Bool { !waiting.isEmpty && roundsUnderWay < bounds.underWay }

  /// Has work wait.
  /// - Parameter since: When its call began, in nanoseconds of the loop's clock.
  mutating func add(_ work: Work, since: UInt64 = .max, _ caller: Entry.Caller? = nil) {
    let entry = Entry(work, since: since, caller)
    waiting.append(entry)
    if callers.count > 2 * bounds.waiting { callers.removeAll(where: \.isAnswered) }
    callers.append(entry)
    earliest = min(earliest, since)
  }

  /// Begins a round, when work waits and not all rounds are under way: takes work from the front
  /// that goes together.
  /// - Parameter fits: Whether work goes with the round; it is asked in the order in which the work
  ///   came, with the first of the round.
  mutating func takeRound(
    where fits: (_ work: Work, _ first: Work?) -> Bool = { _, _ in true }
  ) -> [Entry]? {
    guard mayBegin else { return nil }
    roundsUnderWay += 1
    var round: [Entry] = []
    var kept: [Entry] = []
    var looked = 0
    // Once the round is full, the rest of the queue is not looked at.
    while looked < waiting.count, round.count < bounds.perRound, round.first?.isAlone != true {
      let entry = waiting[looked]
      looked += 1
      let goes = fits(entry.work, round.first?.work) && (round.isEmpty || !entry.isAlone)
      if goes { round.append(entry) } else { kept.append(entry) }
    }
    waiting.replaceSubrange(..<looked, with: kept)
    return round
  }

  /// Ends a round.
  /// - Parameters:
  ///   - endings: What becomes of each work of the round, in its order.
  ///   - failure: The error that all waiting callers are told as well: there was no connection for
  ///     as long as a call may wait, and they need not wait again.
  /// - Returns: The entries whose callers are to be answered.
  mutating func end(
    _ round: [Entry], _ endings: [Ending], failure: PostgresError? = nil
  ) -> [(entry: Entry, outcome: Outcome)] {
    precondition(endings.count == round.count, "each work has its end")
    roundsUnderWay -= 1
    var answers: [(entry: Entry, outcome: Outcome)] = []
    var again: [Entry] = []
    for (entry, ending) in zip(round, endings) {
      switch ending {
      case .done(let outcome): answers.append((entry, outcome))
      case .again: again.append(entry)
      case .againAlone:
        entry.isAlone = true
        again.append(entry)
      }
    }
    waiting.insert(contentsOf: again, at: 0)
    if let failure {
      answers += waiting.map { ($0, .failure(failure)) }
      waiting = []
    }
    return answers
  }

  /// Tells callers that they waited for too long; call it in each cycle of the loop. Otherwise, if
  /// a round hangs, they would wait for that round and then for their own.
  /// - Parameters:
  ///   - limit: A caller is late if its call began before this time.
  ///   - mayLeave: Whether their work needs not be done any more.
  mutating func failLate(before limit: UInt64, _ error: PostgresError, mayLeave: Bool) {
    callers.removeFirst(callers.prefix { $0.isAnswered }.count)
    guard earliest < limit else { return }
    for caller in callers where caller.since < limit && !caller.isAnswered { caller.fail(error) }
    callers.removeAll(where: \.isAnswered)
    earliest = callers.map(\.since).min() ?? .max
    if mayLeave { waiting.removeAll(where: \.isAnswered) }
  }
}

/// A caller, whatever the type of its answer is. The list of them is looked through in each cycle
/// of a loop: with a generic type that took longer than the rest of a cycle without requests.
package class RoundCaller {
  /// When its call began, in nanoseconds of the loop's clock.
  let since: UInt64
  /// Whether it was told how its work ended, or that it waited for too long.
  fileprivate(set) var isAnswered = false

  fileprivate init(since: UInt64) { self.since = since }

  fileprivate func fail(_ error: PostgresError) {}
}
