internal import EventLoop
internal import FoundationEssentials
package import Postgres

/// Reads installations by key for all requests of a loop: those that ask in the same cycle share
/// one statement.
///
/// A row of thirty columns costs the server more to describe and to set up than to find, so one
/// statement for many rows is several times cheaper than many statements. No timer: a lone request
/// goes at once, and under load batches form while the one before is under way.
package final class InstallationLoader: CycleEndHandler, @unchecked Sendable {
  private let database: PostgresClient
  private var waiting: [(key: InstallationKey, caller: WaitingCaller<Installation?>)] = []
  private var roundsUnderWay = 0
  private var callers: WaitingCallers<Installation?>

  package init(_ database: PostgresClient) {
    self.database = database
    callers = WaitingCallers(
      database, lateness: PostgresError(.disconnected, "not read in time", isSafeToRetry: true))
  }

  /// Begins to serve; on the loop.
  package func start() { database.loop.atCycleEnd(self) }

  /// The stored installation, `nil` when the app has none of that id.
  package func load(appID: Int32, id: InstallationID) async throws(PostgresError) -> Installation? {
    precondition(database.loop.isCurrent, "the loader is its loop's")
    guard waiting.count < RegistryLimits.waitingLoads else {
      throw PostgresError(.overloaded, "too many requests wait", isSafeToRetry: true)
    }
    let key = InstallationKey(appID: appID, id: id)
    return try await withUnsafeContinuation { waiting.append((key, callers.add($0))) }.get()
  }

  package func loopCycleEnded() {
    callers.failLate()
    guard !waiting.isEmpty, roundsUnderWay < RegistryLimits.loadRounds else { return }
    let batch = Array(waiting.prefix(RegistryLimits.loadsPerRound))
    waiting.removeFirst(batch.count)
    roundsUnderWay += 1
    database.loop.execute { [self] in
      var found: [InstallationKey: Installation] = [:]
      var failure: PostgresError?
      do throws(PostgresError) {
        let keys = Set(batch.map(\.key))
        for installation in try await database.read(LoadInstallations(keys: Array(keys))) {
          found[InstallationKey(appID: installation.appID, id: installation.id)] = installation
        }
      } catch {
        failure = error
      }
      roundsUnderWay -= 1
      var answered = batch
      if let failure, failure.code == .disconnected, failure.isSafeToRetry {
        // There was no connection for a whole wait: those behind do not wait as long each.
        answered += waiting
        waiting = []
      }
      for (key, caller) in answered {
        caller.answer(failure.map(Result.failure) ?? .success(found[key]))
      }
    }
  }
}

/// Installations by their keys.
package struct LoadInstallations: Statement {
  package static let sql = """
    SELECT \(InstallationColumn.selection)
    FROM unnest($1::int4[], $2::uuid[]) AS keys (app_id, installation_id)
    JOIN installation USING (app_id, installation_id)
    """
  package let keys: [InstallationKey]

  package init(keys: [InstallationKey]) {
    self.keys = keys
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(column: keys.map(\.appID))
    parameters.append(column: keys.map(\.id.uuid))
  }

  package static func decode(_ row: inout RowReader) throws(PostgresError) -> Installation {
    try Installation(row: &row)
  }
}
