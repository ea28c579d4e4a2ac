import EventLoop
import Postgres

/// Writes changes of the registry in write rounds: all changes that wait go out in one transaction,
/// as soon as the one before it has ended.
///
/// A write round never waits for a timer: a lone change goes at once, and under load changes gather
/// while the round before commits. (Read rounds do wait, for 2 ms: ``BatchLoader``.)
///
/// A round is sent together with its COMMIT, and fails if another writer was faster. Then it is
/// written once more in steps, to learn which changes were outrun, and rolled back. Those are
/// decided again by their callers; the others go out again.
final class CommitQueue: CycleEndHandler, @unchecked Sendable {
  /// Is told how a write ended, as soon as that is known.
  typealias Ended = (Result<CommitResult, PostgresError>) -> Void
  private typealias Changes = ChangeQueue<(caller: WaitingCaller<CommitResult>, ended: Ended?)>
  private typealias Round = [Changes.Entry]

  private let database: PostgresClient
  private var queue = Changes()
  /// A caller that waited for too long gets an error, but its change stays in the queue: nobody
  /// knows whether it will be made.
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
        let roundResult = await result(of: round)
        for (ticket, result) in queue.end(round, roundResult) {
          ticket.ended?(result)
          ticket.caller.answer(result)
        }
      }
    }
  }

  private func result(of round: Round) async -> Changes.RoundResult {
    let writes = RoundWrites(
      round.map(\.changes), ledgerEntries: round.flatMap(\.ledgerEntries),
      isDistributed: database.isDistributed)
    do {
      let (written, choices) = try await database.transaction { transaction in
        (try await writes.addWhole(to: transaction), LaterChoices(of: round, transaction))
      }
      let touched = Set(written.touched())
      let outrun = round.indices.filter { !touched.isSuperset(of: round[$0].changes.touchedKeys) }
      return .committed(outrun: Set(outrun), languageChanged: choices.changed())
    } catch let error as PostgresError where error.mayBeOutrun {
      return await resultInSteps(of: round, writes)
    } catch {
      return .failed(PostgresError(error))
    }
  }

  /// Writes a round, sees what was written, and commits it unless a change was outrun.
  private func resultInSteps(of round: Round, _ writes: RoundWrites) async -> Changes.RoundResult {
    do {
      let (outrun, choices) = try await database.transaction { transaction in
        let written = writes.add(to: transaction)
        try await transaction.send()
        let keys = Set((written.installations + [written.touched]).flatMap { $0() })
        let tokens = Set(written.tokens())
        let guarded = Set(written.guarded())
        let breakers = Set(written.closedBreakers())
        let outrun = Set(
          round.indices.filter { index in
            let changes = round[index].changes
            return !keys.isSuperset(of: changes.keys)
              || !tokens.isSuperset(of: round[index].ledgerEntries.map(\.token))
              || !guarded.isSuperset(of: changes.timeGuards.map(\.installation))
              || !breakers.isSuperset(of: changes.closedBreakers)
          })
        // A touch that skipped its row has written nothing: the rest can be committed.
        if outrun.contains(where: { !round[$0].changes.transitions.isEmpty }) {
          throw Outrun(places: outrun)
        }
        return (outrun, LaterChoices(of: round, transaction))
      }
      return .committed(outrun: outrun, languageChanged: choices.changed())
    } catch let failure as Outrun {
      return .rolledBack(outrun: failure.places)
    } catch {
      return .failed(PostgresError(error))
    }
  }

  /// Another writer was faster than some changes of a round: their places in it.
  private struct Outrun: Error { var places: Set<Int> }

  /// The languages of the persons of a round, read after its commit. A language that is chosen
  /// later needs no look: that call finds the devices by itself.
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

    /// The places of those whose language is another one by now; all when it could not be read.
    func changed() -> Set<Int> {
      let languages = pending?.result.map { rows in
        Dictionary(rows.map { ($0.user, $0.language) }) { $1 }
      }
      let changed = choices.filter { choice in
        languages.map { $0[choice.choice.user] != choice.choice.language } ?? true
      }
      return Set(changed.map(\.index))
    }
  }
}

extension PostgresError {
  /// What a transaction threw that throws nothing else.
  fileprivate init(_ error: any Error) {
    self = error as? PostgresError ?? PostgresError(.misuse, "unexpected error")
  }
}
