internal import JSON
package import Postgres
internal import Synchronization

/// What lately arrived and was not written down, because it changed nothing.
///
/// An unchanged launch writes nothing for a day, yet two things must know of it: a 410 from before
/// it must not take its token out of use (docs/apple.md 3.1), and a report that is older than it
/// changes nothing. Tokens are noted before a report looks at what is stored, and feedback looks
/// here before and after it writes: whichever of the two comes second sees the other.
///
/// The memory is bounded and this instance's own. Beyond it the stored times answer, to a day, and
/// a token that was taken out of use wrongly is revived by the next launch.
package final class RecentReports: Sendable {
  private let presented = Mutex(RecentValues<Timestamp>(RegistryLimits.rememberedReports))
  /// The order of what was reported.
  let order = Mutex(ReportOrder())

  package init() {}

  /// Notes the tokens that a report brings.
  /// - Returns: When they were last brought before, as far as it is remembered.
  func notePresented(
    _ report: RegistrationReport, appID: Int32, at now: Timestamp
  ) -> PerKind<Timestamp> {
    var before = PerKind<Timestamp>()
    for kind in CredentialKind.allCases {
      guard let token = report.credentials[kind]?.value else { continue }
      before[kind] = presented.withLock {
        $0.noteTime(now, PresentedToken(appID: appID, kind: kind, token: token))
      }
    }
    return before
  }

  /// Takes back what a report noted that was refused, or older than the stored one: it says nothing
  /// for its tokens. One that was brought again meanwhile stays noted.
  func takeBackPresented(
    _ report: RegistrationReport, appID: Int32, at now: Timestamp, _ before: PerKind<Timestamp>
  ) {
    for kind in CredentialKind.allCases {
      guard let token = report.credentials[kind]?.value else { continue }
      presented.withLock {
        $0.takeBack(now, PresentedToken(appID: appID, kind: kind, token: token), before[kind])
      }
    }
  }

  /// When a token was last brought, as far as it is remembered.
  package func lastPresented(_ token: DeviceToken, _ kind: CredentialKind, appID: Int32)
    -> Timestamp?
  {
    presented.withLock { $0[PresentedToken(appID: appID, kind: kind, token: token)] }
  }
}

private struct PresentedToken: Hashable {
  var appID: Int32
  var kind: CredentialKind
  var token: DeviceToken
}
