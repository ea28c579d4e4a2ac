import Postgres

/// Writes changes of the registry in write rounds: all changes that wait go out in one transaction,
/// as soon as the one before it has ended.
///
/// A write round never waits for a timer: a lone change goes at once, and under load changes gather
/// while the round before commits. (Read rounds do wait, for 2 ms: ``BatchLoader``.)
///
/// A round is sent together with its COMMIT, and fails if another writer was faster. Then it is
/// written once more in steps, to learn which changes were outrun. If any was, the round is rolled
/// back: the callers of the outrun changes decide again, and the other changes go out again.
final class CommitQueue: Sendable {
  private let database: PostgresClient
  private let rounds: Rounds<QueuedChange, CommitResult>

  /// - Parameter isPatient: Whether its callers wait as long as it takes, and not only as long as a
  ///   call may.
  init(_ database: PostgresClient, isPatient: Bool = false) {
    self.database = database
    rounds = Rounds(
      database,
      .init(
        waiting: RegistryLimits.waitingChanges, perRound: RegistryLimits.changesPerRound,
        underWay: RegistryLimits.commitRounds),
      // The change of a caller that waited for too long is still written, so the caller cannot be
      // told whether it is made.
      of: "registrations",
      lateness: isPatient ? nil : PostgresError(.disconnected, "not committed in time"),
      take: { $0.takeChanges(\.self) },
      run: { round in
        let result = await Self.result(of: round, database)
        return (result.endings(count: round.count), result.failureOfAll)
      })
  }

  /// Begins to serve; on the loop.
  func start() { rounds.start() }

  /// Writes a change set; on return it is committed, unless another writer was faster.
  func commit(_ changes: ChangeSet) async throws(PostgresError) -> CommitResult {
    if changes.isEmpty { return .written }
    return try await rounds.perform(QueuedChange(changes))
  }

  private static func result(
    of round: [QueuedChange], _ database: PostgresClient
  ) async -> WriteRoundResult {
    let writes = RoundWrites(
      round.map(\.changes), ledgerEntries: round.flatMap(\.ledgerEntries))
    do {
      let choices = try await database.transaction { transaction in
        writes.addWhole(to: transaction)
        return LaterChoices(of: round, transaction)
      }
      return .committed(languageChanged: choices.changed())
    } catch let error as PostgresError where error.mayBeOutrun {
      return await resultInSteps(of: round, writes, database)
    } catch {
      return .failed(PostgresError(error))
    }
  }

  /// Writes a round, sees what was written, and commits it unless a change was outrun.
  private static func resultInSteps(
    of round: [QueuedChange], _ writes: RoundWrites, _ database: PostgresClient
  ) async -> WriteRoundResult {
    do {
      let choices = try await database.transaction { transaction in
        let written = writes.add(to: transaction)
        try await transaction.send()
        let rows = Set(written.installations.flatMap { $0() })
        let tokens = Set(written.tokens())
        let sighted = Set(written.sighted())
        let unchanged = Set(written.unchanged())
        let breakers = Set(written.closedBreakers())
        let outrun = Set(
          round.indices.filter { index in
            let changes = round[index].changes
            return !rows.isSuperset(of: changes.rows)
              || !tokens.isSuperset(of: round[index].ledgerEntries.map(\.token))
              || !sighted.isSuperset(of: changes.sighted)
              || !unchanged.isSuperset(of: changes.seen.map(\.installation))
              || !breakers.isSuperset(of: changes.closedBreakers)
          })
        guard outrun.isEmpty else { throw Outrun(places: outrun) }
        return LaterChoices(of: round, transaction)
      }
      return .committed(languageChanged: choices.changed())
    } catch let failure as Outrun {
      return .rolledBack(outrun: failure.places)
    } catch {
      return .failed(PostgresError(error))
    }
  }

  /// Another writer was faster than some changes of a round: their places in it.
  private struct Outrun: Error { var places: Set<Int> }

  /// The languages of the persons of a round, read after its commit. A language that is chosen
  /// later needs no look: the call that chooses it finds the devices by itself.
  private struct LaterChoices {
    private let choices: [(index: Int, choice: ChosenLanguage)]
    private let pending: Transaction.Pending<LoadUserLanguages.Row>?

    init(of round: [QueuedChange], _ transaction: Transaction) {
      choices = round.enumerated().compactMap { index, entry in
        entry.changes.choice.map { (index, $0) }
      }
      let users = Set(choices.map(\.choice.user))
      pending =
        users.isEmpty ? nil : transaction.addBehindCommit(LoadUserLanguages(keys: Array(users)))
    }

    /// The places of the changes whose person has another language by now; all places when the
    /// languages could not be read.
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
  /// What a transaction threw, as a ``PostgresError``: it throws no other errors.
  fileprivate init(_ error: any Error) {
    self = error as? PostgresError ?? PostgresError(.misuse, "unexpected error")
  }
}
