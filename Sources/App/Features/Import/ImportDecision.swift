import DeviceProfile
import JSON
import Postgres
import Registry

/// What became of a record of an import.
enum RecordResult: Sendable, Hashable {
  /// The installation is new.
  case accepted
  /// It was there and changed.
  case updated
  /// It is as the record says, or newer.
  case unchanged
  case rejected([InputProblem])
}

/// What a record of an import changes: a pure function of what is stored, the record and the time.
///
/// It is decided as a report and then overlaid with what only an import knows. A record with a time
/// (`updated_at`, else `last_seen_at`, else `created_at`) counts only when it is newer than what is
/// stored, so that an import can be run again, and takes a token from another installation only
/// when it is newer than that one. An import is not the app: it never says that the app called.
enum ImportDecision {
  /// Decides on the records of one installation, one after the other.
  /// - Parameters:
  ///   - holders: The installations that own the records' tokens now.
  ///   - languages: The languages that were chosen for persons; they stand above those of records.
  ///   - app: The app, which has the bundle ids of the records.
  /// - Returns: The change that they make together, `nil` when there is none, and the result of
  ///   each.
  static func decide(
    _ basis: Registration.Basis, _ records: [ImportRecord],
    holders: [InstallationID: Installation], languages: [UserKey: String] = [:],
    app: AppRecord? = nil
  ) -> (decision: Registration.Decision?, results: [RecordResult]) {
    let stored = basis.stored
    var basis = basis
    var decision: Registration.Decision?
    var results: [RecordResult] = []
    for record in records {
      do throws(InputFailure) {
        try app?.checkBundleID(of: record.report)
        let user = record.report.user.applied(to: ReportedUser(id: basis.stored?.userID))
        basis.languageOverride = user?.id.flatMap {
          languages[UserKey(appID: basis.appID, id: $0)]
        }
        let step = try decide(basis, record, since: stored, holders)
        guard let step else {
          results.append(.unchanged)
          continue
        }
        results.append(basis.stored == nil ? .accepted : .updated)
        basis.stored = step.installation
        decision = step
      } catch {
        results.append(.rejected(error.problems))
      }
    }
    guard var decision else { return (nil, results) }
    decision.before = stored
    decision.installation.revision = stored?.nextRevision ?? basis.firstRevision
    var unchanged = decision.installation
    unchanged.revision = stored?.revision ?? unchanged.revision
    unchanged.updatedAt = stored?.updatedAt ?? unchanged.updatedAt
    guard unchanged != stored else {
      return (nil, results.map { $0 == .updated ? .unchanged : $0 })
    }
    return (decision, results)
  }

  /// Decides on one record. `basis` has the state after the records before it, `stored` the state
  /// before all of them.
  private static func decide(
    _ basis: Registration.Basis, _ record: ImportRecord, since stored: Installation?,
    _ holders: [InstallationID: Installation]
  ) throws(InputFailure) -> Registration.Decision? {
    let now = basis.now
    let time = record.time.map { known($0, now) }
    if let current = basis.stored, let time, time <= current.updatedAt { return nil }
    var decision: Registration.Decision
    do throws(RegistryFailure) {
      decision = try Registration.decide(basis, record.report)
    } catch {
      switch error {
      case .input(let failure): throw failure
      case .environmentNeedsTokens: throw .environmentNeedsTokens
      case .takeovers, .outrun:
        throw InputFailure(.outrun, "The token changes hands too often.")
      }
    }
    if decision.effect == .stale { return nil }
    for id in decision.displaced.keys {
      guard let holder = holders[id] else { continue }
      guard let time, time > holder.updatedAt else { throw tokenOwned(decision, by: id) }
    }
    restore(
      &decision.installation, basis.stored, since: stored, record,
      languageOverride: basis.languageOverride, time, now)
    var unchanged = decision.installation
    unchanged.revision = basis.stored?.revision ?? 0
    unchanged.updatedAt = basis.stored?.updatedAt ?? unchanged.updatedAt
    return unchanged == basis.stored ? nil : decision
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
    for place in record.report.broughtPlaces {
      guard let key = next.tokenKey(at: place) else { continue }
      let same = stored?.tokenKey(at: place) == key ? stored?[place] : nil
      // A record without a time does not undo what feedback has found out.
      next[place] =
        time == nil && same != nil
        ? same
        : credential(key.token, same, record.credentials[place], seen: seen, time, now)
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
