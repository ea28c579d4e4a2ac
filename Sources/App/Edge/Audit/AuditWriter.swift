internal import EventLoop
internal import Postgres
internal import Registry

/// Writes the audit log for all requests of a loop: what gathers in a cycle goes in one statement.
///
/// A call waits for its entry before it is answered, so what was answered is on record. When the
/// database refuses, or the call's time is over, the answer goes out all the same: the call has
/// happened, and to keep its caller in the dark would undo nothing. An entry that is refused is
/// counted, and told to the log.
final class AuditWriter: CycleEndHandler, @unchecked Sendable {
  private let database: PostgresClient
  private let observation: Observation
  private var waiting: [(entry: AuditEntry, caller: WaitingCaller<Void>)] = []
  private var callers = WaitingCallers(
    lateness: PostgresError(.disconnected, "not recorded in time"))
  private var roundsUnderWay = 0
  /// Whether someone waited for a connection in vain: until there is one, nobody waits again.
  private var isCutOff = false

  init(_ database: PostgresClient, _ observation: Observation) {
    self.database = database
    self.observation = observation
  }

  /// Begins to serve; on the loop.
  func start() { database.loop.atCycleEnd(self) }

  /// Writes an entry; on return it is committed, or reported as lost, unless the call's time is
  /// over before.
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
    let since = database.callStart
    _ = await withUnsafeContinuation { waiting.append((entry, callers.add($0, since: since))) }
  }

  func loopCycleEnded() {
    _ = callers.failLate(before: database.lateBefore)
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
      for (_, caller) in batch { caller.answer(.success(())) }
    }
  }
}
