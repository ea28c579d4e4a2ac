import DeviceProfile
import JSON
import Postgres
import Registry

/// The change by a record of an import: a pure function of the stored state, the record and the
/// time.
///
/// The record is decided as a report and then overlaid with facts that only an import knows. A
/// record with a time (`updated_at`, else `last_seen_at`, else `created_at`) counts only when it is
/// newer than what is stored and than what the app has reported since, so that an import can be run
/// again. It takes a token from another installation only when it is newer than that one. An import
/// is not the app: it never says that the app called.
enum ImportDecision {
  /// Decides on a record.
  /// - Parameter basis: With the owners of the record's tokens, and the language that was chosen
  ///   for its person, which has priority over the language of the record.
  /// - Returns: `nil` when nothing changes.
  static func decide(
    _ basis: Registration.Basis, _ record: ImportRecord
  ) throws(InputFailure) -> Registration.Decision? {
    let (stored, now) = (basis.stored, basis.now)
    let time = record.time.map { known($0, now) }
    if let stored, let time, time <= stored.heardAt { return nil }
    var decision: Registration.Decision
    do throws(RegistryFailure) {
      decision = try Registration.decide(basis, record.report)
    } catch {
      switch error {
      case .input(let failure): throw failure
      case .environmentNeedsTokens: throw .environmentNeedsTokens
      // Only takeovers by an app are bounded, and only a write is outrun.
      case .takeovers, .outrun:
        throw InputFailure(.outrun, "The token changes hands too often.")
      }
    }
    if decision.effect == .stale { return nil }
    for id in decision.displaced.keys {
      guard let holder = basis.holders[id] else { continue }
      guard let time, time > holder.holdsTokensUntil else { throw tokenOwned(decision, by: id) }
    }
    fill(&decision.installation, stored, record, basis.languageOverride, time, now)
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

  /// Fills in dates and statuses.
  private static func fill(
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
      next.credentials[place]?.fill(
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
  /// When a change, or a report that changed nothing, was last heard of.
  fileprivate var heardAt: Timestamp {
    credentials.reduce(max(updatedAt, reportedAt ?? updatedAt)) { max($0, $1.value.presentedAt) }
  }

  /// Until when its tokens are its own, whatever another service knows of them. An app that has
  /// registered here reports a token only once a day, and is on the device in between.
  fileprivate var holdsTokensUntil: Timestamp {
    secretHash == nil ? heardAt : heardAt.advanced(by: RegistryLimits.rowTimeAge)
  }

  /// Whether it differs from what is stored by nothing but the times of changes.
  func isSame(as stored: Installation?) -> Bool {
    guard let stored else { return false }
    var same = self
    (same.revision, same.updatedAt) = (stored.revision, stored.updatedAt)
    return same == stored
  }
}

extension Credential {
  /// Fills in the known facts about the token. A late 410 is compared with the time when the app
  /// last brought the token; without any date every 410 counts.
  /// - Parameter same: The stored credential of the same token. A record without a time does not
  ///   undo findings of feedback.
  fileprivate mutating func fill(
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
