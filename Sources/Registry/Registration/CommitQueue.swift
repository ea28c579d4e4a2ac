import EventLoop
import Postgres

/// Writes changes of the registry: all that wait go out in one transaction whenever one is free.
///
/// No timer and no added delay: a lone change goes at once, and under load batches form while the
/// transaction before them commits. A round goes out with its COMMIT, and fails when another writer
/// was faster. It is then written once more, to learn which changes lost, and rolled back; the
/// losers hear of it and decide anew, the others go again.
final class CommitQueue: Sendable {
  /// Told how a write ended, when that is known.
  typealias Ended = @Sendable (Result<CommitResult, PostgresError>) -> Void
  private typealias Work = (change: QueuedChange, ended: Ended?)
  private typealias Round = [QueuedChange]

  private let database: PostgresClient
  private let rounds: Rounds<Work, CommitResult>

  init(_ database: PostgresClient) {
    self.database = database
    rounds = Rounds(
      database,
      .init(
        waiting: RegistryLimits.waitingChanges, perRound: RegistryLimits.changesPerRound,
        underWay: RegistryLimits.commitRounds),
      // The changes of calls that are late stay, so nobody knows whether they are made.
      of: "registrations", lateness: PostgresError(.disconnected, "not committed in time"),
      ended: { $0.ended?($1) },
      take: { $0.takeChanges(\.change) },
      run: { work in
        let end = await Self.end(of: work.map(\.change), database)
        return (end.endings(count: work.count), end.failureOfAll)
      })
  }

  /// How many changes wait.
  var waitingCount: Int { rounds.waitingCount }

  /// Begins to serve; on the loop.
  func start() { rounds.start() }

  /// Writes a change set; on return it is committed, unless another writer was faster.
  /// - Parameter ended: Called once, perhaps long after this call has thrown.
  func commit(
    _ changes: ChangeSet, ended: Ended? = nil
  ) async throws(PostgresError) -> CommitResult {
    if changes.isEmpty { return .written }
    let lane = database.isDistributed ? changes.lane : 0
    return try await rounds.perform((QueuedChange(changes, lane: lane), ended))
  }

  private static func end(
    of round: Round, _ database: PostgresClient
  ) async -> ChangeRoundEnd {
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
      return await endInSteps(of: round, writes, database)
    } catch {
      return .failed(PostgresError(error))
    }
  }

  /// Writes a round, looks at what was written, and commits it when nothing lost.
  private static func endInSteps(
    of round: Round, _ writes: RoundWrites, _ database: PostgresClient
  ) async -> ChangeRoundEnd {
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
