import EventLoop
import Postgres

/// Writes changes of the registry: all that wait go out in one transaction whenever one is free.
///
/// No timer and no added delay: a lone change goes at once, and under load batches form while the
/// transaction before them commits. A round goes out with its COMMIT, and fails when another writer
/// was faster. It is then written once more, to learn which changes lost, and rolled back; the
/// losers hear of it and decide anew, the others go again.
final class CommitQueue: CycleEndHandler, @unchecked Sendable {
  /// Told how a write ended, when that is known.
  typealias Ended = (Result<CommitResult, PostgresError>) -> Void
  private typealias Changes = ChangeQueue<(caller: WaitingCaller<CommitResult>, ended: Ended?)>
  private typealias Round = [Changes.Entry]

  private let database: PostgresClient
  private var queue = Changes()
  /// The changes of those that are late stay in the queue, so nobody knows whether they are made.
  private var callers = WaitingCallers(
    lateness: PostgresError(.disconnected, "not committed in time"))

  init(_ database: PostgresClient) { self.database = database }

  /// How many changes wait.
  var waitingCount: Int { queue.waitingCount }

  func start() { database.loop.atCycleEnd(self) }

  /// Writes a change set; on return it is committed, unless another writer was faster.
  /// - Parameter ended: Called once, perhaps long after this call has thrown.
  func commit(
    _ changes: ChangeSet, ended: Ended? = nil
  ) async throws(PostgresError) -> CommitResult {
    precondition(database.loop.isCurrent, "the queue is its loop's")
    if changes.isEmpty { return .written }
    let since = database.callStart
    do throws(PostgresError) {
      try database.refuseLate(since)
      guard !queue.isFull else {
        throw PostgresError(.overloaded, "too many registrations wait", isSafeToRetry: true)
      }
    } catch {
      ended?(.failure(error))
      throw error
    }
    let lane = database.isDistributed ? changes.lane : 0
    return try await withUnsafeContinuation {
      queue.add(changes, lane: lane, ticket: (callers.add($0, since: since), ended))
    }.get()
  }

  func loopCycleEnded() {
    _ = callers.failLate(before: database.lateBefore)
    while let round = queue.takeRound() {
      database.loop.execute { [self] in
        let outcome = await outcome(of: round)
        for (ticket, result) in queue.end(round, outcome) {
          ticket.ended?(result)
          ticket.caller.answer(result)
        }
      }
    }
  }

  private func outcome(of round: Round) async -> Changes.Outcome {
    let writes = RoundWrites(
      round.map(\.changes), ledgerEntries: round.flatMap(\.ledgerEntries),
      isDistributed: database.isDistributed)
    do {
      let (written, choices) = try await database.transaction { transaction in
        (try await writes.addWhole(to: transaction), LaterChoices(of: round, transaction))
      }
      let touched = Set(written.touched())
      let losers = round.indices.filter { !touched.isSuperset(of: round[$0].changes.touchedKeys) }
      return .committed(losers: Set(losers), overtaken: choices.overtaken())
    } catch let error as PostgresError where error.isOfMissingRow {
      return await outcomeInSteps(of: round, writes)
    } catch {
      return .failed(PostgresError(error))
    }
  }

  /// Writes a round, looks at what was written, and commits it when nothing lost.
  private func outcomeInSteps(of round: Round, _ writes: RoundWrites) async -> Changes.Outcome {
    do {
      let (losers, choices) = try await database.transaction { transaction in
        let written = writes.add(to: transaction)
        try await transaction.send()
        let keys = Set((written.installations + [written.touched]).flatMap { $0() })
        let tokens = Set(written.tokens())
        let claimed = Set(written.claimed())
        let breakers = Set(written.closedBreakers())
        let losers = Set(
          round.indices.filter { index in
            let changes = round[index].changes
            return !keys.isSuperset(of: changes.keys)
              || !tokens.isSuperset(of: round[index].ledgerEntries.map(\.token))
              || !claimed.isSuperset(of: changes.claims.map(\.installation))
              || !breakers.isSuperset(of: changes.closedBreakers)
          })
        // A touch that was passed over has written nothing, so the rest may stand.
        if losers.contains(where: { !round[$0].changes.transitions.isEmpty }) {
          throw Lost(losers: losers)
        }
        return (losers, LaterChoices(of: round, transaction))
      }
      return .committed(losers: losers, overtaken: choices.overtaken())
    } catch let lost as Lost {
      return .rolledBack(losers: lost.losers)
    } catch {
      return .failed(PostgresError(error))
    }
  }

  /// Which of a round another writer was faster than.
  private struct Lost: Error { var losers: Set<Int> }

  /// The languages of the persons of a round, read behind its commit: a choice that comes later
  /// finds their devices by itself.
  private struct LaterChoices {
    private let choices: [(index: Int, choice: ChosenLanguage)]
    private let pending: Transaction.Pending<LoadUserLanguages>?

    init(of round: Round, _ transaction: Transaction) {
      choices = round.enumerated().compactMap { index, entry in
        entry.changes.choice.map { (index, $0) }
      }
      let users = Set(choices.map(\.choice.user))
      pending =
        users.isEmpty ? nil : transaction.addBehindCommit(LoadUserLanguages(users: Array(users)))
    }

    /// Those of the round whose language is another one by now, or all when nobody knows.
    func overtaken() -> Set<Int> {
      let languages = pending?.result.map { rows in
        Dictionary(rows.map { ($0.user, $0.language) }) { $1 }
      }
      let overtaken = choices.filter { choice in
        languages.map { $0[choice.choice.user] != choice.choice.language } ?? true
      }
      return Set(overtaken.map(\.index))
    }
  }
}

extension PostgresError {
  /// What a transaction threw that throws nothing else.
  fileprivate init(_ error: any Error) {
    self = error as? PostgresError ?? PostgresError(.misuse, "unexpected error")
  }
}
