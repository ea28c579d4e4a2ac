internal import EventLoop
internal import Postgres

/// Writes the audit log for all requests of a loop: what gathers in a cycle goes in one statement.
///
/// A call waits for its entry before it is answered, so what was answered is on record. When the
/// database refuses, the answer goes out all the same: the call has happened, and to keep its
/// caller in the dark would undo nothing. Such an entry is counted, and told to the log.
final class AuditWriter: CycleEndHandler, @unchecked Sendable {
  private let database: PostgresClient
  private let observation: Observation
  private var waiting: [(entry: AuditEntry, continuation: UnsafeContinuation<Void, Never>)] = []
  private var roundsUnderWay = 0
  /// Whether someone waited for a connection in vain: until there is one, nobody waits again.
  private var isCutOff = false

  init(_ database: PostgresClient, _ observation: Observation) {
    self.database = database
    self.observation = observation
  }

  /// Begins to serve; on the loop.
  func start() { database.loop.atCycleEnd(self) }

  /// Writes an entry; on return it is committed, or reported as lost.
  func write(_ entry: AuditEntry) async {
    precondition(database.loop.isCurrent, "the writer is its loop's")
    if database.isConnected {
      isCutOff = false
    } else if entry.status == 503 {
      isCutOff = true
    }
    guard !isCutOff, waiting.count < Limits.waitingAuditEntries else {
      let reason = isCutOff ? "no connection" : "too many entries wait"
      return observation.auditFailed(entry, PostgresError(.overloaded, reason))
    }
    await withUnsafeContinuation { waiting.append((entry, $0)) }
  }

  func loopCycleEnded() {
    guard !waiting.isEmpty, roundsUnderWay < Limits.auditRounds else { return }
    let batch = Array(waiting.prefix(Limits.auditEntriesPerRound))
    waiting.removeFirst(batch.count)
    roundsUnderWay += 1
    database.loop.execute { [self] in
      do throws(PostgresError) {
        _ = try await database.write(InsertAuditEntries(entries: batch.map(\.entry)))
      } catch {
        isCutOff = !database.isConnected
        for (entry, _) in batch { observation.auditFailed(entry, error) }
      }
      roundsUnderWay -= 1
      for (_, continuation) in batch { continuation.resume() }
    }
  }
}
