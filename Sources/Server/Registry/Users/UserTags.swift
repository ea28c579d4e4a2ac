internal import FoundationEssentials
package import JSON
package import Postgres

/// What became of the tags of a person's installations.
package struct ChangedUserTags: JSONWritable, Sendable {
  package let user: UserKey
  /// How many installations the person is logged in on.
  package var installations: Int64 = 0
  /// How many have other tags than before.
  package var changed: Int64 = 0
  /// How many would have more tags than they may, and keep those that they have.
  package var full: Int64 = 0

  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("changed", changed)
      writer.member("full", full)
      writer.member("installations", installations)
      writer.member("user", user.id)
    }
  }
}

extension Registrar {
  /// Changes the tags of all installations on which a person is logged in, each by itself, in
  /// portions by their ids; an installation whose tags are so already is not written.
  /// - Throws: ``RegistryFailure`` when there is no end of installations; ``PostgresError``.
  package func changeTags(
    _ change: TagChange, of user: UserKey, at now: Timestamp
  ) async throws -> ChangedUserTags {
    var changed = ChangedUserTags(user: user)
    var last: InstallationID?
    for _ in 0..<RegistryLimits.userPortions {
      let ids = try await database.read(.walkUserInstallations(user: user, after: last))
      for outcome in try await changeTags(change, of: ids, user, at: now) {
        changed.installations += 1
        switch outcome {
        case .same: break
        case .changed: changed.changed += 1
        case .tooMany: changed.full += 1
        }
      }
      guard ids.count == RegistryLimits.userPortion else { return changed }
      last = ids.last
    }
    throw RegistryFailure.outrun
  }

  /// Changes the tags of some installations, together in few rounds.
  /// - Returns: What became of each installation that is still the person's, in no order.
  private func changeTags(
    _ change: TagChange, of ids: [InstallationID], _ user: UserKey, at now: Timestamp
  ) async throws -> [TagChange.NewTags] {
    try await withThrowingTaskGroup(of: TagChange.NewTags?.self) { group in
      for id in ids {
        group.addTask {
          var outcome: TagChange.NewTags?
          try await self.revise(appID: user.appID, id: id, at: now, .init(.backend)) { stored in
            outcome = nil
            guard let stored, stored.isOf(user) else { return .keep }
            let decided = change.newTags(from: stored.tags)
            outcome = decided
            guard case .changed(let tags) = decided else { return .keep }
            return .write(stored.revised(at: now) { $0.tags = tags })
          }
          return outcome
        }
      }
      return try await group.reduce(into: []) { outcomes, outcome in
        if let outcome { outcomes.append(outcome) }
      }
    }
  }
}

extension Command where Self == Query<InstallationID> {
  /// A portion of a person's installations in the order of their ids, after one of them. They are
  /// found first and sorted then: for a few rows in that order the planner might walk the whole
  /// app.
  /// - Parameter after: `nil` begins.
  static func walkUserInstallations(user: UserKey, after: InstallationID?) -> Self {
    Query(
      """
      WITH theirs AS MATERIALIZED (
        SELECT installation_id FROM installation WHERE app_id = \(user.appID)
          AND user_id = \(user.id)
      )
      SELECT installation_id FROM theirs WHERE \(after?.uuid)::uuid IS NULL
        OR installation_id > \(after?.uuid)
      ORDER BY installation_id LIMIT \(Int64(RegistryLimits.userPortion))
      """)
  }
}
