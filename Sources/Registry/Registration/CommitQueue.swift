import EventLoop
import Postgres

/// Writes changes of the registry: all that wait go out in one transaction whenever one is free.
///
/// No timer and no added delay: a lone change goes at once, and under load batches form while the
/// transaction before them commits. A round whose answers show that another writer was faster is
/// rolled back; the losers hear of it and decide anew, the others go again.
final class CommitQueue: CycleEndHandler, @unchecked Sendable {
  private typealias Changes = ChangeQueue<WaitingCaller<Bool>>
  private typealias Round = [Changes.Entry]

  private let database: PostgresClient
  private var queue = Changes()
  /// The changes of those that are late stay in the queue, so nobody knows whether they are made.
  private var callers: WaitingCallers<Bool>

  init(_ database: PostgresClient) {
    self.database = database
    callers = WaitingCallers(
      database, lateness: PostgresError(.disconnected, "not committed in time"))
  }

  func start() { database.loop.atCycleEnd(self) }

  /// Writes a change set; on return it is committed.
  /// - Returns: `false` when another writer was faster and nothing was written.
  func commit(_ changes: ChangeSet) async throws(PostgresError) -> Bool {
    precondition(database.loop.isCurrent, "the queue is its loop's")
    guard !queue.isFull else {
      throw PostgresError(.overloaded, "too many registrations wait", isSafeToRetry: true)
    }
    return try await withUnsafeContinuation { queue.add(changes, ticket: callers.add($0)) }.get()
  }

  func loopCycleEnded() {
    _ = callers.failLate()
    while let round = queue.takeRound() {
      database.loop.execute { [self] in
        let outcome = await outcome(of: round)
        for (caller, result) in queue.end(round, outcome) { caller.answer(result) }
      }
    }
  }

  private func outcome(of round: Round) async -> Changes.Outcome {
    do {
      let losers = try await database.transaction { transaction in
        let losers = try await Self.write(round, in: transaction)
        // A touch that was passed over has written nothing, so the rest may stand.
        if losers.contains(where: { !round[$0].changes.transitions.isEmpty }) {
          throw Lost(losers: losers)
        }
        return losers
      }
      return .committed(losers: losers)
    } catch let lost as Lost {
      return .rolledBack(losers: lost.losers)
    } catch {
      return .failed(error as? PostgresError ?? PostgresError(.misuse, "unexpected error"))
    }
  }

  /// Which of a round another writer was faster than.
  private struct Lost: Error { var losers: Set<Int> }

  /// Sends all statements of a round in one round trip. Every round locks rows in the same order:
  /// by statement, and within a statement by key; so no two can wait for each other in a circle.
  /// - Returns: The indexes of those whose rows were not all written as decided.
  private static func write(
    _ round: Round, in transaction: Transaction
  ) async throws(PostgresError) -> Set<Int> {
    let transitions = round.flatMap(\.changes.transitions)
    let entries = round.flatMap(\.ledgerEntries)
    let touches = round.flatMap(\.changes.touches)
    let events = transitions.events
    let created = transitions.filter { $0.before == nil }.compactMap(\.after)
    let changed = transitions.filter { $0.before != nil }.compactMap(\.after)
    let deleted = transitions.filter { $0.after == nil }.compactMap(\.before)
    let writes = [
      created.isEmpty ? nil : transaction.add(InsertInstallations(installations: created)).keys,
      changed.isEmpty ? nil : transaction.add(UpdateInstallations(installations: changed)).keys,
      deleted.isEmpty ? nil : transaction.add(DeleteInstallations(installations: deleted)).keys,
    ]
    let ledger = entries.isEmpty ? nil : transaction.add(WriteLedger(entries: entries))
    let touched =
      touches.isEmpty ? nil : transaction.add(TouchInstallations(installations: touches)).keys
    if !events.ofTokens.isEmpty { transaction.add(InsertTokenEvents(events: events.ofTokens)) }
    if !events.ofInstallations.isEmpty {
      transaction.add(InsertInstallationEvents(events: events.ofInstallations))
    }
    try await transaction.send()

    let writtenKeys = Set((writes + [touched]).flatMap { $0?() ?? [] })
    let writtenTokens = Set(ledger?.rows ?? [])
    guard
      writtenKeys.count < transitions.count + touches.count || writtenTokens.count < entries.count
    else { return [] }
    return Set(
      round.indices.filter { index in
        !writtenKeys.isSuperset(of: round[index].changes.keys)
          || !writtenTokens.isSuperset(of: round[index].ledgerEntries.map(\.token))
      })
  }
}

extension Transaction.Pending where S.Row == InstallationKey {
  /// The keys of the rows that were written, once they were.
  fileprivate var keys: () -> [InstallationKey] { { rows } }
}
