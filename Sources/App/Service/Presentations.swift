internal import JSON
internal import Postgres
internal import Synchronization

/// When tokens were brought lately, whether or not anything was written.
///
/// An unchanged launch writes nothing for a day, yet a 410 from before it must not take the token
/// out of use (apple.md 3). So launches are noted here before they look at what is stored, and
/// feedback looks here before and after it writes: whichever of the two comes second sees the
/// other. The memory is bounded and this instance's own; beyond it, `presented_at` answers, to a
/// day, and the next launch revives the token.
final class Presentations: Sendable {
  private struct Generations {
    var recent: [Int: Timestamp] = [:]
    var older: [Int: Timestamp] = [:]
  }
  private let generations = Mutex(Generations())

  /// Notes the tokens that a report brings.
  func note(_ report: RegistrationReport, appID: Int32, at now: Timestamp) {
    for kind in CredentialKind.allCases {
      guard let token = report.credentials[kind]?.value else { continue }
      let fingerprint = Self.fingerprint(appID, kind, token)
      generations.withLock { generations in
        if generations.recent.count >= Limits.rememberedPresentations {
          generations.older = generations.recent
          generations.recent = [:]
        }
        let known = generations.recent[fingerprint] ?? now
        generations.recent[fingerprint] = max(known, now)
      }
    }
  }

  /// When a token was last brought, as far as it is remembered.
  func last(_ token: DeviceToken, _ kind: CredentialKind, appID: Int32) -> Timestamp? {
    let fingerprint = Self.fingerprint(appID, kind, token)
    return generations.withLock { $0.recent[fingerprint] ?? $0.older[fingerprint] }
  }

  /// 64 bits under a key of this process: two tokens alike are not to be expected.
  private static func fingerprint(
    _ appID: Int32, _ kind: CredentialKind, _ token: DeviceToken
  ) -> Int {
    var hasher = Hasher()
    hasher.combine(appID)
    hasher.combine(kind)
    hasher.combine(token)
    return hasher.finalize()
  }
}
