package import Postgres

/// The owner of a token, and how the token came there.
package struct TokenOwner: Sendable, Hashable {
  package var id: InstallationID
  package var takeovers = Takeovers()
}

/// How a token changed hands.
///
/// A client key ships inside the app. A thief who finds it there, and knows a token, can register
/// the token for an installation of their own, and for a new one each time. Only one thing tells
/// the device from a thief: of the installations of a device, only the last one still reports. If
/// an installation comes back for its token, the installations that took the token since are of
/// another device.
///
/// 1. The backend and imports decide who owns the token. No one may come back for it then.
/// 2. An installation from which the token was taken gets it back at once, whatever the count is.
///    It must not have been deleted and made anew since, and it must have a secret, which its
///    report has proven. The installations that took the token after it are forgotten, and the
///    count is full: for a day no one else gets the token.
/// 3. Any other installation is counted when it takes the token, and refused beyond the bound. The
///    owner until then joins the former owners, and may come back.
///
/// The token of O, taken by T and U, which O brings back:
///
/// | taken by | count | former owners |
/// |---|---|---|
/// | T | 1 | O |
/// | U | 2 | O, T |
/// | O | 10 | none |
/// | T | refused | none |
package struct Takeovers: Sendable, Hashable {
  /// How many installations took the token since ``since``.
  package var count: Int16 = 0
  package var since: Timestamp?
  /// The installations that the token was taken from and that may come back for it, the first owner
  /// first.
  package var formerOwners: [FormerOwner] = []

  /// A day, in microseconds.
  package static let window: Int64 = 86_400_000_000
  /// An hour, in microseconds: no call that takes a token is under way for so long. A call has the
  /// time at which it came, and a takeover that came later may be written before it.
  private static let disorder: Int64 = 3_600_000_000

  /// The count at a time. It begins anew a day after the first takeover. It also does if that
  /// takeover lies far ahead: then the clock went back since.
  fileprivate func counted(at now: Timestamp) -> Takeovers {
    let isOver =
      since.map { since in
        let age = now.microseconds(since: since)
        return age >= Self.window || age < -Self.disorder
      } ?? true
    return isOver ? Takeovers(since: now, formerOwners: formerOwners) : self
  }
}

/// An installation that a token was taken from.
package struct FormerOwner: Sendable, Hashable {
  package var id: InstallationID
  /// When the token was taken from it.
  package var until: Timestamp

  /// Whether this is the same installation, and not one that was made under its id since.
  fileprivate func isStill(_ installation: Installation?) -> Bool {
    guard let installation else { return false }
    return installation.id == id && installation.createdAt <= until
      && installation.secretHash != nil
  }
}

extension TokenOwner {
  /// How the token changed hands once another installation has taken it.
  /// - Parameters:
  ///   - taker: The installation as it is stored; `nil` when it is new.
  ///   - takerID: Its name.
  func takeovers(
    by taker: Installation?, _ takerID: InstallationID, at now: Timestamp,
    _ source: TokenEvent.Source
  ) -> Takeovers {
    var next = takeovers.counted(at: now)
    // An installation that gave the token up, and took it again when no one had it, is still in the
    // list.
    let earlier = next.formerOwners.prefix { $0.id != id }
    if source == .app, let place = earlier.firstIndex(where: { $0.isStill(taker) }) {
      return Takeovers(
        count: RegistryLimits.takeoversPerDay, since: now,
        formerOwners: Array(earlier[..<place]))
    }
    // An import may move a token any number of times.
    next.count = min(next.count, .max - 1) + 1
    next.formerOwners = []
    guard source == .app else { return next }
    next.formerOwners = earlier.filter { $0.id != takerID }
    if next.formerOwners.count < RegistryLimits.formerOwners {
      next.formerOwners.append(FormerOwner(id: id, until: now))
    }
    return next
  }
}
