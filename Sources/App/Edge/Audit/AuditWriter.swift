internal import Postgres
internal import Registry

/// Writes the audit log for all requests of a loop: what gathers in a cycle goes in one statement.
///
/// A call waits for its entry before it is answered, so what was answered is on record. When the
/// database refuses, or the call's time is over, the answer goes out all the same: the call has
/// happened, and to keep its caller in the dark would undo nothing. An entry that is refused is
/// counted, and told to the log.
final class AuditWriter: @unchecked Sendable {
  private let database: PostgresClient
  private let observation: Observation
  /// Whether someone waited for a connection in vain: until there is one, nobody waits again.
  private var isCutOff = false

  private lazy var rounds = Rounds<AuditEntry, Void>(
    database,
    .init(
      waiting: Limits.waitingAuditEntries, perRound: Limits.auditEntriesPerRound,
      underWay: Limits.auditRounds),
    of: "entries", lateness: PostgresError(.disconnected, "not recorded in time"),
    takesLate: true,
    ended: { [observation] entry, outcome in
      if case .failure(let error) = outcome { observation.auditFailed(entry, error) }
    },
    run: { [weak self, database] entries in
      do throws(PostgresError) {
        _ = try await database.write(InsertAuditEntries(entries: entries))
        return (entries.map { _ in .done(.success(())) }, nil)
      } catch {
        self?.isCutOff = !database.isConnected
        return (entries.map { _ in .done(.failure(error)) }, nil)
      }
    })

  init(_ database: PostgresClient, _ observation: Observation) {
    self.database = database
    self.observation = observation
  }

  /// Begins to serve; on the loop.
  func start() { rounds.start() }

  /// Writes an entry; on return it is committed, or reported as lost, unless the call's time is
  /// over before.
  func write(_ entry: AuditEntry) async {
    if database.isConnected {
      isCutOff = false
    } else if entry.status == 503 {
      isCutOff = true
    }
    if isCutOff {
      return observation.auditFailed(entry, PostgresError(.overloaded, "no connection"))
    }
    // What it failed by is told already.
    try? await rounds.perform(entry)
  }
}
