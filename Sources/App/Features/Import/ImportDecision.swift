import DeviceProfile
import JSON
import Postgres
import Registry

/// What a record of an import changes: a pure function of what is stored, the record and the time.
///
/// It is decided as a report and then overlaid with what only an import knows. A record with a time
/// (`updated_at`, else `last_seen_at`, else `created_at`) counts only when it is newer than what is
/// stored, so that an import can be run again, and takes a token from another installation only
/// when it is newer than that one. An import is not the app: it never says that the app called.
enum ImportDecision {
  /// Decides.
  /// - Parameter basis: With the owners of the record's tokens, and the language that was chosen
  ///   for its person, which stands above that of the record.
  /// - Returns: `nil` when nothing changes.
  static func decide(
    _ basis: Registration.Basis, _ record: ImportRecord
  ) throws(InputFailure) -> Registration.Decision? {
    let (stored, now) = (basis.stored, basis.now)
    let time = record.time.map { known($0, now) }
    if let stored, let time, time <= stored.updatedAt { return nil }
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
      guard let holder = basis.holders[id] else { continue }
      guard let time, time > holder.updatedAt else { throw tokenOwned(decision, by: id) }
    }
    restore(&decision.installation, stored, record, basis.languageOverride, time, now)
    if decision.installation.isSame(as: stored) { return nil }
    decision.installation.revision = stored?.nextRevision ?? basis.firstRevision
    return decision
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
    _ next: inout Installation, _ stored: Installation?, _ record: ImportRecord,
    _ languageOverride: String?, _ time: Timestamp?, _ now: Timestamp
  ) {
    let seen = record.lastSeenAt.map { known($0, now) }
    next.updatedAt = time ?? now
    if let stored {
      next.lastSeenAt = max(stored.lastSeenAt, seen ?? stored.lastSeenAt)
    } else {
      next.createdAt = record.createdAt.map { known($0, now) } ?? time ?? now
      next.lastSeenAt = seen ?? time ?? now
    }
    next.languageOverride =
      languageOverride ?? record.languageOverride.applied(to: next.languageOverride)
    for (place, _) in record.report.credentials.brought {
      let same =
        stored?.tokenKey(at: place) == next.tokenKey(at: place) ? stored?.credentials[place] : nil
      next.credentials[place]?.restore(
        same, record.credentials[place], seen: seen, time, now)
    }
  }

  fileprivate static let epoch = Timestamp(microseconds: 0)

  /// A time within what the registry keeps: whole milliseconds, not before 1970 and, as clocks
  /// differ, not after now.
  fileprivate static func known(_ time: Timestamp, _ now: Timestamp) -> Timestamp {
    min(max(time.wholeMilliseconds, epoch), now)
  }
}

extension Installation {
  /// Whether it differs from what is stored by nothing but the times of changes.
  func isSame(as stored: Installation?) -> Bool {
    guard let stored else { return false }
    var same = self
    (same.revision, same.updatedAt) = (stored.revision, stored.updatedAt)
    return same == stored
  }
}

extension Credential {
  /// Puts what is known about the token in its place. When the app last brought it is what a late
  /// 410 is compared with; without any date every 410 counts.
  /// - Parameter same: What is stored of it. A record without a time does not undo what feedback
  ///   has found out.
  fileprivate mutating func restore(
    _ same: Credential?, _ facts: ImportRecord.Facts?, seen: Timestamp?, _ time: Timestamp?,
    _ now: Timestamp
  ) {
    if time == nil, var same {
      same.details = details
      self = same
      return
    }
    let registered = facts?.registeredAt.map { ImportDecision.known($0, now) }
    presentedAt =
      [registered, seen, same?.presentedAt].compactMap { $0 }.max() ?? time ?? ImportDecision.epoch
    registeredAt = registered ?? same?.registeredAt ?? time ?? now
    status = facts?.status ?? .active
    invalidatedAt =
      facts?.invalidatedAt.map { ImportDecision.known($0, now) }
      ?? (status == .active ? nil : time ?? now)
    reason = facts?.reason
    if beganAt == registeredAt { beganAt = nil }
  }
}
