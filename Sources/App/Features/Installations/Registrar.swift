internal import EventLoop
internal import Postgres

/// Writes registry changes: all that wait go out in one transaction whenever one is free.
///
/// No timer and no added delay: a lone change goes at once, and under load batches form while the
/// transaction before them commits. A batch whose answers show that another writer was faster is
/// rolled back; the losers hear of it and decide anew, the others go again.
final class Registrar: CycleEndHandler, @unchecked Sendable {
  /// What one decision writes; all of it or nothing.
  struct ChangeSet: Sendable {
    var writes: [Installation] = []
    var claims: [ClaimTokens.Entry] = []
    var releases: [(token: OwnedToken, owner: InstallationID)] = []
    var touches: [Installation] = []
  }

  private final class Waiting {
    let changes: ChangeSet
    var isAlone = false
    private let continuation: UnsafeContinuation<Result<Bool, PostgresError>, Never>

    init(
      _ changes: ChangeSet,
      _ continuation: UnsafeContinuation<Result<Bool, PostgresError>, Never>
    ) {
      self.changes = changes
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
    guard queue.count < Limits.waitingChanges else {
      throw PostgresError(.overloaded, "too many registrations wait", isSafeToRetry: true)
    }
    let result = await withUnsafeContinuation { queue.append(Waiting(changes, $0)) }
    return try result.get()
  }

  func loopCycleEnded() {
    while !queue.isEmpty, roundsUnderWay < Limits.commitRounds {
      let batch = takeBatch()
      roundsUnderWay += 1
      database.loop.execute { [self] in
        await run(batch)
        roundsUnderWay -= 1
      }
    }
  }

  /// Takes from the front of the queue what can go together: no installation and no token twice,
  /// and a change that must go alone by itself.
  private func takeBatch() -> [Waiting] {
    var batch: [Waiting] = []
    var kept: [Waiting] = []
    var installations: Set<InstallationKey> = []
    var tokens: Set<OwnedToken> = []
    for (index, waiting) in queue.enumerated() {
      // Whoever is behind a full batch stays where it is; a long queue is not walked for nothing.
      if batch.count == Limits.changesPerRound || batch.first?.isAlone == true {
        kept += queue[index...]
        break
      }
      let changes = waiting.changes
      let keys = (changes.writes + changes.touches).map {
        InstallationKey(appID: $0.appID, id: $0.id)
      }
      let touched = changes.claims.map(\.token) + changes.releases.map(\.token)
      let fits =
        !(waiting.isAlone && !batch.isEmpty)
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
      try await database.transaction { transaction in
        let losers = try await Self.write(batch, in: transaction)
        if !losers.isEmpty { throw Lost(losers: losers) }
      }
      for waiting in batch { waiting.finish(.success(true)) }
    } catch let lost as Lost {
      for (index, waiting) in batch.enumerated() {
        if lost.losers.contains(index) { waiting.finish(.success(false)) } else { again(waiting) }
      }
    } catch let error as PostgresError {
      failed(batch, error)
    } catch {
      failed(batch, PostgresError(.misuse, "unexpected error"))
    }
  }

  /// Which of a batch another writer had beaten.
  private struct Lost: Error { var losers: Set<Int> }

  private func again(_ waiting: Waiting) { queue.append(waiting) }

  /// One bad row must not fail its neighbours: after an error that one row can cause (data,
  /// constraint, deadlock) each goes alone.
  private func failed(_ batch: [Waiting], _ error: PostgresError) {
    if batch.count > 1, ["22", "23", "40"].contains(error.sqlState?.prefix(2)) {
      for waiting in batch {
        waiting.isAlone = true
        again(waiting)
      }
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

  /// Sends all statements of a batch in one round trip.
  /// - Returns: The indexes of those whose rows were not all written as decided.
  private static func write(
    _ batch: [Waiting], in transaction: Transaction
  ) async throws(PostgresError) -> Set<Int> {
    let writes = batch.flatMap(\.changes.writes)
    let claims = batch.flatMap(\.changes.claims)
    let releases = batch.flatMap(\.changes.releases)
    let touches = batch.flatMap(\.changes.touches)
    let (created, changed) = (writes.filter { $0.revision == 1 }, writes.filter { $0.revision > 1 })
    let inserted =
      created.isEmpty ? nil : transaction.add(InsertInstallations(installations: created))
    let updated =
      changed.isEmpty ? nil : transaction.add(UpdateInstallations(installations: changed))
    // Claims come first: a token that an installation gives up may be one that another takes.
    let claimed = claims.isEmpty ? nil : transaction.add(ClaimTokens(entries: claims))
    if !releases.isEmpty {
      transaction.add(
        ReleaseTokens(tokens: releases.map(\.token), owners: releases.map(\.owner)))
    }
    if !touches.isEmpty { transaction.add(TouchInstallations(installations: touches)) }
    try await transaction.send()

    let writtenKeys = Set((inserted?.rows ?? []) + (updated?.rows ?? []))
    let claimedTokens = Set(claimed?.rows ?? [])
    guard writtenKeys.count < writes.count || claimedTokens.count < claims.count else { return [] }
    return Set(
      batch.indices.filter { index in
        let changes = batch[index].changes
        return !changes.writes.allSatisfy {
          writtenKeys.contains(InstallationKey(appID: $0.appID, id: $0.id))
        } || !changes.claims.allSatisfy { claimedTokens.contains($0.token) }
      })
  }
}
