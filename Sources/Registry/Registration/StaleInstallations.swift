internal import FoundationEssentials
package import JSON
package import Postgres

/// Installations that have not called for long, and their tokens.
package struct StaleCounts: JSONWritable, Sendable, Equatable {
  package var installations: Int64 = 0
  package var tokens: Int64 = 0

  package init(installations: Int64 = 0, tokens: Int64 = 0) {
    self.installations = installations
    self.tokens = tokens
  }

  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("installations", installations)
      writer.member("tokens", tokens)
    }
  }
}

extension Registrar {
  /// Deletes the installations of an app that have not called for some days, each like any other
  /// deletion: the ledger and the history follow. One that calls meanwhile stays.
  /// - Returns: What was deleted.
  package func purgeStale(
    appID: Int32, notSeenDays days: Int, now: Timestamp
  ) async throws -> StaleCounts {
    let cutoff = now.lastSeenCutoff(days: days)
    var counts = StaleCounts()
    var last = TimeCursor.start
    while true {
      let page = try await database.read(
        StaleInstallations(appID: appID, cutoff: cutoff, after: last))
      guard let end = page.last else { return counts }
      last = end
      try await withThrowingTaskGroup(of: StaleCounts.self) { group in
        for place in page {
          group.addTask { [self] in
            try await deleteStale(InstallationID(place.id), of: appID, cutoff, now)
          }
        }
        for try await deleted in group {
          counts.installations += deleted.installations
          counts.tokens += deleted.tokens
        }
      }
    }
  }

  private func deleteStale(
    _ id: InstallationID, of appID: Int32, _ cutoff: Timestamp, _ now: Timestamp
  ) async throws -> StaleCounts {
    var deleted = StaleCounts()
    try await revise(appID: appID, id: id, at: now, .init(.maintenance, removal: "stale")) {
      stored in
      deleted = StaleCounts()
      guard let stored, stored.lastSeenAt < cutoff else { return .keep }
      deleted = StaleCounts(installations: 1, tokens: Int64(stored.tokenKeys.count))
      return .delete
    }
    return deleted
  }
}

/// A portion of the installations that have not called since a time, the longest silent first.
struct StaleInstallations: Statement {
  static let sql = """
    SELECT last_seen_at, installation_id FROM installation
    WHERE app_id = $1 AND last_seen_at < $2 AND (last_seen_at, installation_id) > ($3, $4)
    ORDER BY last_seen_at, installation_id LIMIT $5
    """
  let appID: Int32
  let cutoff: Timestamp
  let after: TimeCursor

  func bind(to parameters: inout Parameters) {
    parameters.append(appID)
    parameters.append(cutoff)
    parameters.append(after.time)
    parameters.append(after.id)
    parameters.append(Int64(RegistryLimits.stalePortion))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> TimeCursor {
    TimeCursor(time: try row.next(), id: try row.next())
  }
}

/// How many installations have not called since a time, and how many tokens they have.
package struct CountStaleInstallations: Statement {
  package static let sql = """
    SELECT count(*), coalesce(sum(cardinality(string_to_array(\(tokenWords), ' '))), 0)
    FROM installation
    WHERE app_id = $1 AND last_seen_at < $2
    """
  package let appID: Int32
  package let cutoff: Timestamp

  package init(appID: Int32, cutoff: Timestamp) {
    self.appID = appID
    self.cutoff = cutoff
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(appID)
    parameters.append(cutoff)
  }

  package static func decode(_ row: inout RowReader) throws(PostgresError) -> StaleCounts {
    StaleCounts(installations: try row.next(), tokens: try row.next())
  }
}

extension Timestamp {
  /// So many days earlier.
  package func before(days: Int) -> Timestamp {
    advanced(by: .seconds(-86_400 * days))
  }

  /// An installation whose `last_seen_at` is before this has not called for so many days. It is a
  /// day earlier than that: calls in the day after `last_seen_at` are not written there
  /// (``RegistryLimits/rowTimeAge``).
  package func lastSeenCutoff(days: Int) -> Timestamp { before(days: days + 1) }
}
