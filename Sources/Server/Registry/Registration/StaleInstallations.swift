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
  /// deletion: the ledger and the history follow. An installation that calls meanwhile stays.
  /// - Returns: What was deleted.
  package func purgeStale(
    appID: Int32, notSeenDays days: Int, now: Timestamp
  ) async throws -> StaleCounts {
    let cutoff = now.lastSeenCutoff(days: days)
    var counts = StaleCounts()
    var last = TimeCursor.start
    while true {
      let page = try await database.read(
        .staleInstallations(appID: appID, cutoff: cutoff, after: last))
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

extension Command where Self == Query<TimeCursor> {
  /// A portion of the installations that have not called since a time, the longest silent first.
  static func staleInstallations(appID: Int32, cutoff: Timestamp, after: TimeCursor) -> Self {
    Query(
      """
      SELECT last_seen_at, installation_id FROM installation
      WHERE app_id = \(appID) AND last_seen_at < \(cutoff) AND (last_seen_at,
        installation_id) > (\(after.time), \(after.id))
      ORDER BY last_seen_at, installation_id LIMIT \(Int64(RegistryLimits.stalePortion))
      """, into: TimeCursor.init)
  }
}

extension Command where Self == Query<StaleCounts> {
  /// How many installations have not called since a time, and how many tokens they have.
  package static func countStaleInstallations(appID: Int32, cutoff: Timestamp) -> Self {
    Query(
      """
      SELECT count(*), coalesce(sum(cardinality(string_to_array(\(constant: tokenWords),
        ' '))), 0)
      FROM installation
      WHERE app_id = \(appID) AND last_seen_at < \(cutoff)
      """, into: StaleCounts.init)
  }
}

extension Timestamp {
  /// So many days earlier.
  package func before(days: Int) -> Timestamp {
    advanced(by: .seconds(-86_400 * days))
  }

  /// An installation whose `last_seen_at` is before this has not called for so many days. This time
  /// is a day earlier than that: calls in the day after `last_seen_at` are not written there
  /// (``RegistryLimits/rowTimeAge``).
  package func lastSeenCutoff(days: Int) -> Timestamp { before(days: days + 1) }
}
