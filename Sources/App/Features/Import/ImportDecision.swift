import JSON
import Postgres
import Registry

/// What a record of an import changes: a pure function of what is stored, the record and the time.
///
/// It is decided as a report and then overlaid with what only an import knows. A record with a time
/// (`updated_at`, else `last_seen_at`, else `created_at`) counts only when it is newer than what is
/// stored, so that an import can be run again, and takes a token from another installation only
/// when it is newer than that one. An import is not the app: it never claims that the app called.
enum ImportDecision {
  /// What became of a record.
  enum Outcome: Sendable, Hashable {
    /// The installation is new.
    case accepted
    /// It was there and changed.
    case updated
    /// It is as the record says, or newer.
    case unchanged
    case rejected([InputProblem])
  }

  /// Decides on the records of one installation, one after the other.
  /// - Parameters:
  ///   - holders: The installations that own the records' tokens now.
  ///   - languages: The languages that were chosen for persons; they stand above those of records.
  /// - Returns: The change that they make together, `nil` when there is none, and the outcome of
  ///   each.
  static func decide(
    _ situation: Registration.Situation, _ records: [ImportRecord],
    holders: [InstallationID: Installation], languages: [UserKey: String] = [:]
  ) -> (decision: Registration.Decision?, outcomes: [Outcome]) {
    let stored = situation.stored
    var situation = situation
    var decision: Registration.Decision?
    var outcomes: [Outcome] = []
    for record in records {
      do throws(InputFailure) {
        let user = record.report.user.applied(to: ReportedUser(id: situation.stored?.userID))
        situation.languageOverride = user?.id.flatMap {
          languages[UserKey(appID: situation.appID, id: $0)]
        }
        let step = try decide(situation, record, since: stored, holders)
        guard let step else {
          outcomes.append(.unchanged)
          continue
        }
        outcomes.append(situation.stored == nil ? .accepted : .updated)
        situation.stored = step.installation
        decision = step
      } catch {
        outcomes.append(.rejected(error.problems))
      }
    }
    guard var decision else { return (nil, outcomes) }
    decision.before = stored
    decision.installation.revision = stored.map { $0.revision + 1 } ?? situation.firstRevision
    var unchanged = decision.installation
    unchanged.revision -= 1
    unchanged.updatedAt = stored?.updatedAt ?? unchanged.updatedAt
    guard unchanged != stored else {
      return (nil, outcomes.map { $0 == .updated ? .unchanged : $0 })
    }
    return (decision, outcomes)
  }

  /// One record's step from the state that `situation` has; `stored` is the state before all of
  /// them. A record that brings back what was there leaves no trace.
  private static func decide(
    _ situation: Registration.Situation, _ record: ImportRecord, since stored: Installation?,
    _ holders: [InstallationID: Installation]
  ) throws(InputFailure) -> Registration.Decision? {
    let now = situation.now
    let time = record.time.map { known($0, now) }
    if let current = situation.stored, let time, time <= current.updatedAt { return nil }
    var decision: Registration.Decision
    do throws(RegistryFailure) {
      decision = try Registration.decide(situation, record.report)
    } catch {
      switch error {
      case .input(let failure): throw failure
      case .environmentNeedsTokens: throw .environmentNeedsTokens
      case .takeovers, .outrun:
        throw InputFailure(.outrun, "The token changes hands too often.")
      }
    }
    if decision.outcome == .stale { return nil }
    for id in decision.displaced.keys {
      guard let holder = holders[id] else { continue }
      guard let time, time > holder.updatedAt else { throw tokenOwned(decision, by: id) }
    }
    restore(
      &decision.installation, situation.stored, since: stored, record,
      languageOverride: situation.languageOverride, time, now)
    var unchanged = decision.installation
    unchanged.revision = situation.stored?.revision ?? 0
    unchanged.updatedAt = situation.stored?.updatedAt ?? unchanged.updatedAt
    return unchanged == situation.stored ? nil : decision
  }

  private static func tokenOwned(
    _ decision: Registration.Decision, by id: InstallationID
  ) -> InputFailure {
    let kind = decision.displaced[id]?.first?.kind ?? .apns
    return InputFailure(
      .tokenOwned, at: "/credentials/\(kind.rawValue)/token",
      "The token belongs to installation \(id.text), which is not older than this record.")
  }

  /// Puts dates and statuses in their places.
  private static func restore(
    _ next: inout Installation, _ current: Installation?, since stored: Installation?,
    _ record: ImportRecord, languageOverride: String?, _ time: Timestamp?, _ now: Timestamp
  ) {
    let seen = record.lastSeenAt.map { known($0, now) }
    next.updatedAt = time ?? now
    if let current {
      next.lastSeenAt = max(current.lastSeenAt, seen ?? current.lastSeenAt)
    } else {
      next.createdAt = record.createdAt.map { known($0, now) } ?? time ?? now
      next.lastSeenAt = seen ?? time ?? now
    }
    next.languageOverride =
      languageOverride ?? record.languageOverride.applied(to: next.languageOverride)
    for kind in CredentialKind.allCases {
      guard let token = record.report.credentials[kind]?.value else { continue }
      let held = stored?.environment == next.environment ? stored?.credentials[kind] : nil
      let same = held?.token == token ? held : nil
      // What feedback found out meanwhile is not undone by a record that does not know when.
      next.credentials[kind] =
        time == nil && same != nil
        ? same
        : credential(token, same, record.credentials[kind], seen: seen, time, now)
    }
  }

  /// A token with what is known about it. When the app last brought it is what a late 410 is
  /// compared with; without any date every 410 counts.
  private static func credential(
    _ token: DeviceToken, _ same: Credential?, _ facts: ImportRecord.Facts?, seen: Timestamp?,
    _ time: Timestamp?, _ now: Timestamp
  ) -> Credential {
    let status = facts?.status ?? .active
    let registeredAt = facts?.registeredAt.map { known($0, now) }
    let presentedAt = [registeredAt, seen, same?.presentedAt].compactMap { $0 }.max()
    return Credential(
      token: token, status: status,
      registeredAt: registeredAt ?? same?.registeredAt ?? time ?? now,
      presentedAt: presentedAt ?? time ?? epoch,
      invalidatedAt: facts?.invalidatedAt.map { known($0, now) }
        ?? (status == .active ? nil : time ?? now),
      reason: facts?.reason)
  }

  private static let epoch = Timestamp(microseconds: 0)

  /// A time within what the registry keeps: whole milliseconds, not before 1970 and, as clocks
  /// differ, not after now.
  private static func known(_ time: Timestamp, _ now: Timestamp) -> Timestamp {
    min(max(time.wholeMilliseconds, epoch), now)
  }
}
