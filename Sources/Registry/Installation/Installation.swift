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
  package var credentials = PerKind<Credential>()
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
  /// A language that the backend chose for the person, above those of the device.
  package var languageOverride: String?
  /// The newest `reported_at` of a report that counted, if reports have one.
  package var reportedAt: Timestamp?
  package var createdAt: Timestamp
  package var updatedAt: Timestamp
  /// When the app last called, to a day (``RegistryLimits/touchInterval``).
  package var lastSeenAt: Timestamp

  /// The first revision of a new installation. It is random, and at least a million away from that
  /// of any other that had or will have the id. So an installation that is deleted and made anew,
  /// within a millisecond or from the same record of an import, is not taken for the one before.
  /// - Parameter randomBytes: ``RegistryLimits/revisionBytes`` of them.
  package static func firstRevision(_ randomBytes: [UInt8]) -> Int64 {
    let number = randomBytes.prefix(RegistryLimits.revisionBytes).reduce(Int64(0)) {
      $0 << 8 | Int64($1)
    }
    return number * RegistryLimits.changesPerInstallation + 1
  }

  /// The ledger key of its token of a kind.
  package func tokenKey(_ kind: CredentialKind) -> TokenKey? {
    credentials[kind].map { TokenKey(environment: environment, kind: kind, token: $0.token) }
  }

  /// The ledger keys of all its tokens.
  var tokenKeys: [TokenKey] { CredentialKind.allCases.compactMap(tokenKey) }
}
