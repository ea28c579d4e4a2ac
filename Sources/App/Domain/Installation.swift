import FoundationEssentials
import Postgres
import Rendering

/// One app on one device as it is stored: a row of `installation`.
struct Installation: Sendable, Equatable {
  /// The app's row.
  var appID: Int32
  /// The name that the app gave itself.
  var id: InstallationID
  /// 1 when created, one more with each change; settles races between writers.
  var revision: Int64
  /// SHA-256 of the secret that lets a client key change it.
  var secretHash: [UInt8]?
  var platform: Platform
  var environment: Environment
  var credentials = PerKind<Credential>()
  /// The preferred languages in order, as the device spells them.
  var languages: [String] = []
  var locale: String?
  var timeZone: String?
  var appVersion: String?
  var appBuild: String?
  var osVersion: String?
  var deviceModel: String?
  var localization = LocalizationPreference.auto
  var capabilities: [String] = []
  var authorization: Authorization?
  /// Whether the system wakes the app for silent notifications.
  var backgroundRefresh: BackgroundRefresh?
  var userID: String?
  var tags: [String] = []
  var attributes: Attributes?
  /// A language that the backend chose for the person, above those of the device.
  var languageOverride: String?
  /// The newest event time of an applied report, when reports carry one.
  var reportedAt: Timestamp?
  var createdAt: Timestamp
  var updatedAt: Timestamp
  /// When the app last called, to a day (``Limits/touchInterval``).
  var lastSeenAt: Timestamp

  /// What tells the state from others: revisions of one that is made anew count from one again, but
  /// it has another time of creation. A call that changes nothing changes it once a day, as
  /// `last_seen_at` is shown too.
  var entityTag: EntityTag {
    EntityTag(createdAt.microseconds, revision, lastSeenAt.microseconds - createdAt.microseconds)
  }

  /// The ledger key of its token of a kind.
  func tokenKey(_ kind: CredentialKind) -> TokenKey? {
    credentials[kind].map { TokenKey(environment: environment, kind: kind, token: $0.token) }
  }

  /// The ledger keys of all its tokens.
  var tokenKeys: [TokenKey] { CredentialKind.allCases.compactMap(tokenKey) }
}
