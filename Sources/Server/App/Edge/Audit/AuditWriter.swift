internal import Postgres
internal import Registry

/// Writes the audit log for all requests of a loop: the entries of a cycle go in one statement.
///
/// A call waits for its entry before it is answered, so every answered call is on record. If the
/// connection breaks meanwhile, the entry is written over the next connection, and may be there
/// twice. If the database refuses, or the call's time is over, a change is not acknowledged. An
/// entry that is refused is counted, and told to the log.
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
        if error.code == .disconnected, !error.isSafeToRetry {
          return (entries.map { _ in .again }, nil)
        }
        return (entries.map { _ in .done(.failure(error)) }, nil)
      }
    })

  init(_ database: PostgresClient, _ observation: Observation) {
    self.database = database
    self.observation = observation
  }

  /// Begins to serve; on the loop.
  func start() { rounds.start() }

  /// Writes an entry.
  /// - Returns: Whether the entry is committed. Otherwise it is reported as lost, or the call's
  ///   time is over.
  @discardableResult
  func write(_ entry: AuditEntry) async -> Bool {
    if database.isConnected {
      isCutOff = false
    } else if entry.status == 503 {
      isCutOff = true
    }
    if isCutOff {
      observation.auditFailed(entry, PostgresError(.overloaded, "no connection"))
      return false
    }
    // The cause of a failure is told already.
    return (try? await rounds.perform(entry)) != nil
  }
}
