package import ASCII
package import DeviceProfile
internal import FoundationEssentials
package import Postgres

/// One app on one device as it is stored: a row of `installation`.
package struct Installation: Sendable, Equatable {
  /// The app's row.
  package var appID: Int32
  /// The name that the app gave itself.
  package var id: InstallationID
  /// Settles races between writers: one more with each change, from ``firstRevision(_:)``.
  package var revision: Int64
  /// SHA-256 of the secret that lets a client key change it.
  package var secretHash: [UInt8]?
  package var platform: Platform
  package var environment: Environment
  package var credentials = ByPlace<Credential>()
  /// The preferred languages in order, as the device spells them.
  package var languages: [String] = []
  package var locale: String?
  package var timeZone: String?
  package var appVersion: String?
  package var appBuild: String?
  package var osVersion: String?
  @Spelled package var deviceModel: String? = nil
  package var localization = LocalizationPreference.auto
  @Spelled package var capabilities: [String] = []
  package var authorization: Authorization?
  /// Whether the system wakes the app for silent notifications.
  package var backgroundRefresh: BackgroundRefresh?
  @Spelled package var userID: String? = nil
  @Spelled package var tags: [String] = []
  package var attributes: Attributes?
  /// The bundle id of the target that the app was built as; without one it is the app's.
  @Spelled package var bundleID: String? = nil
  /// Whether the person allows Live Activities to be updated often.
  package var frequentPushes: Bool?
  /// Whether the person allows Live Activities.
  package var liveActivitiesAllowed: Bool?
  /// A language that the backend chose for the person, above those of the device.
  package var languageOverride: String?
  /// The newest `reported_at` of a report that counted, if reports have one.
  package var reportedAt: Timestamp?
  package var createdAt: Timestamp
  package var updatedAt: Timestamp
  /// When the app last called, to a day (``RegistryLimits/rowTimeAge``).
  package var lastSeenAt: Timestamp

  /// The first revision of a new installation. It is random, and at least a million away from that
  /// of any other installation that had or will have the id. So an installation that is deleted and
  /// made anew, within a millisecond or from the same record of an import, is not taken for the one
  /// before.
  /// - Parameter randomBytes: ``RegistryLimits/revisionBytes`` of them.
  package static func firstRevision(_ randomBytes: [UInt8]) -> Int64 {
    let number = randomBytes.prefix(RegistryLimits.revisionBytes).reduce(Int64(0)) {
      $0 << 8 | Int64($1)
    }
    return number * RegistryLimits.changesPerInstallation + 1
  }

  /// The revision after the present one. After the last number of the column comes the first, so
  /// that no revision comes twice.
  package var nextRevision: Int64 { revision &+ 1 }

  /// The revision before that of a row `x`, as SQL (``nextRevision``).
  static let formerRevision =
    "CASE WHEN x.revision > '\(Int64.min)' THEN x.revision - 1 ELSE \(Int64.max) END"

  /// The ledger key of its token at a place.
  package func tokenKey(at place: CredentialPlace) -> TokenKey? {
    credentials[place]?.key(as: place.kind)
  }

  /// The places that have a token. Two controls may have the same one.
  package func places(of key: TokenKey) -> [CredentialPlace] {
    credentials.lazy.filter { $1.key(as: $0.kind) == key }.map(\.place)
  }

  /// The credential with a token, if the installation has it.
  package func credential(_ key: TokenKey) -> Credential? {
    credentials.first { $1.key(as: $0.kind) == key }?.value
  }

  /// The ledger keys of all its tokens, each once.
  package var tokenKeys: [TokenKey] {
    credentials.reduce(into: []) { keys, entry in
      let key = entry.value.key(as: entry.place.kind)
      if !keys.contains(key) { keys.append(key) }
    }
  }
}
