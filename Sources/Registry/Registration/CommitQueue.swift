import EventLoop
import Postgres

/// Writes changes of the registry: all that wait go out in one transaction whenever one is free.
///
/// No timer and no added delay: a lone change goes at once, and under load batches form while the
/// transaction before them commits. A batch whose answers show that another writer was faster is
/// rolled back; the losers hear of it and decide anew, the others go again.
final class CommitQueue: CycleEndHandler, @unchecked Sendable {
  private final class Waiting {
    let changes: ChangeSet
    let ledgerEntries: [LedgerEntry]
    var isAlone = false
    private let continuation: UnsafeContinuation<Result<Bool, PostgresError>, Never>

    init(
      _ changes: ChangeSet,
      _ continuation: UnsafeContinuation<Result<Bool, PostgresError>, Never>
    ) {
      self.changes = changes
      ledgerEntries = changes.transitions.flatMap(\.ledgerEntries)
      self.continuation = continuation
    }

    func finish(_ result: Result<Bool, PostgresError>) { continuation.resume(returning: result) }
  }

  private let database: PostgresClient
  private var queue: [Waiting] = []
  private var roundsUnderWay = 0

  init(_ database: PostgresClient) { self.database = database }

  func start() { database.loop.atCycleEnd(self) }

  /// Writes a change set; on return it is committed.
  /// - Returns: `false` when another writer was faster and nothing was written.
  func commit(_ changes: ChangeSet) async throws(PostgresError) -> Bool {
    precondition(database.loop.isCurrent, "the queue is its loop's")
    guard queue.count < RegistryLimits.waitingChanges else {
      throw PostgresError(.overloaded, "too many registrations wait", isSafeToRetry: true)
    }
    let result = await withUnsafeContinuation { queue.append(Waiting(changes, $0)) }
    return try result.get()
  }

  func loopCycleEnded() {
    while !queue.isEmpty, roundsUnderWay < RegistryLimits.commitRounds {
      let batch = takeBatch()
      roundsUnderWay += 1
      database.loop.execute { [self] in
        await run(batch)
        roundsUnderWay -= 1
      }
    }
  }

  /// Takes from the front of the queue what can go together: no installation and no token twice,
  /// deletions by themselves, and a change that must go alone by itself.
  private func takeBatch() -> [Waiting] {
    var batch: [Waiting] = []
    var kept: [Waiting] = []
    var installations: Set<InstallationKey> = []
    var tokens: Set<OwnedToken> = []
    for (index, waiting) in queue.enumerated() {
      // Whoever is behind a full batch stays where it is; a long queue is not walked for nothing.
      if batch.count == RegistryLimits.changesPerRound || batch.first?.isAlone == true {
        kept += queue[index...]
        break
      }
      let changes = waiting.changes
      let keys = changes.keys
      let touched = waiting.ledgerEntries.map(\.token)
      let isOfTheSameSort =
        !waiting.isAlone && batch.first?.changes.isDeletion == changes.isDeletion
      let fits =
        (batch.isEmpty || isOfTheSameSort)
        && installations.isDisjoint(with: keys) && tokens.isDisjoint(with: touched)
      // What stays behind keeps its order: a later change of the same installation waits too.
      installations.formUnion(keys)
      tokens.formUnion(touched)
      if fits { batch.append(waiting) } else { kept.append(waiting) }
    }
    queue = kept
    return batch
  }

  private func run(_ batch: [Waiting]) async {
    do {
      let losers = try await database.transaction { transaction in
        let losers = try await Self.write(batch, in: transaction)
        // A touch that was passed over has written nothing, so the rest may stand.
        if losers.contains(where: { !batch[$0].changes.transitions.isEmpty }) {
          throw Lost(losers: losers)
        }
        return losers
      }
      for (index, waiting) in batch.enumerated() {
        waiting.finish(.success(!losers.contains(index)))
      }
    } catch let lost as Lost {
      for index in lost.losers { batch[index].finish(.success(false)) }
      again(batch.indices.filter { !lost.losers.contains($0) }.map { batch[$0] })
    } catch let error as PostgresError {
      failed(batch, error)
    } catch {
      failed(batch, PostgresError(.misuse, "unexpected error"))
    }
  }

  /// Which of a batch another writer had beaten.
  private struct Lost: Error { var losers: Set<Int> }

  /// Back to where they came from, before later changes of the same installations.
  private func again(_ batch: [Waiting]) { queue.insert(contentsOf: batch, at: 0) }

  /// One bad row must not fail its neighbours: after an error that one row can cause (data,
  /// constraint, deadlock) each goes alone.
  private func failed(_ batch: [Waiting], _ error: PostgresError) {
    if batch.count > 1, ["22", "23", "40"].contains(error.sqlState?.prefix(2)) {
      for waiting in batch { waiting.isAlone = true }
      again(batch)
      return
    }
    var failed = batch
    if error.code == .disconnected, error.isSafeToRetry {
      // There was no connection for a whole wait: those behind do not wait as long once more each.
      failed += queue
      queue = []
    }
    for waiting in failed { waiting.finish(.failure(error)) }
  }

  /// Sends all statements of a batch in one round trip. Every round locks rows in the same order:
  /// by statement, and within a statement by key; so no two can wait for each other in a circle.
  /// - Returns: The indexes of those whose rows were not all written as decided.
  private static func write(
    _ batch: [Waiting], in transaction: Transaction
  ) async throws(PostgresError) -> Set<Int> {
    let transitions = batch.flatMap(\.changes.transitions)
    let entries = batch.flatMap(\.ledgerEntries)
    let touches = batch.flatMap(\.changes.touches)
    let events = transitions.flatMap(\.events)
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
    if !events.isEmpty { transaction.add(InsertTokenEvents(events: events)) }
    try await transaction.send()

    let writtenKeys = Set((writes + [touched]).flatMap { $0?() ?? [] })
    let writtenTokens = Set(ledger?.rows ?? [])
    guard
      writtenKeys.count < transitions.count + touches.count || writtenTokens.count < entries.count
    else { return [] }
    return Set(
      batch.indices.filter { index in
        !writtenKeys.isSuperset(of: batch[index].changes.keys)
          || !writtenTokens.isSuperset(of: batch[index].ledgerEntries.map(\.token))
      })
  }
}

extension Transaction.Pending where S.Row == InstallationKey {
  /// The keys of the rows that were written, once they were.
  fileprivate var keys: () -> [InstallationKey] { { rows } }
}
