import FoundationEssentials
import HTTP
import Postgres

/// The stored state as answers show it; never the secret's hash.
struct InstallationView: Encodable, Sendable {
  /// What is shown.
  var installation: Installation
  /// Only in answers to a report.
  var result: Result?

  /// What became of a report.
  struct Result: Sendable {
    /// `false` when it was older than the stored one.
    var applied: Bool
    /// What was left out of it.
    var ignored: [InputProblem]
    /// The secret, shown once.
    var secret: String?
  }

  private enum CodingKeys: String, CodingKey {
    case installationID = "installation_id"
    case platform, environment, credentials, languages, locale
    case timeZone = "time_zone"
    case appVersion = "app_version"
    case appBuild = "app_build"
    case osVersion = "os_version"
    case deviceModel = "device_model"
    case localization, capabilities, authorization, user, tags, attributes
    case languageOverride = "language_override"
    case reportedAt = "reported_at"
    case createdAt = "created_at"
    case updatedAt = "updated_at"
    case lastSeenAt = "last_seen_at"
    case applied, ignored
    case installationSecret = "installation_secret"
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    let stored = installation
    try fields.encode(stored.id.text, forKey: .installationID)
    try fields.encode(stored.platform, forKey: .platform)
    try fields.encode(stored.environment, forKey: .environment)
    try fields.encode(CredentialsView(credentials: stored.credentials), forKey: .credentials)
    try fields.encode(stored.languages, forKey: .languages)
    try fields.encode(stored.locale, forKey: .locale)
    try fields.encode(stored.timeZone, forKey: .timeZone)
    try fields.encode(stored.appVersion, forKey: .appVersion)
    try fields.encode(stored.appBuild, forKey: .appBuild)
    try fields.encode(stored.osVersion, forKey: .osVersion)
    try fields.encode(stored.deviceModel, forKey: .deviceModel)
    try fields.encode(stored.localization, forKey: .localization)
    try fields.encode(stored.capabilities, forKey: .capabilities)
    try fields.encode(stored.authorization?.entries, forKey: .authorization)
    try fields.encode(stored.userID.map { ["id": $0] }, forKey: .user)
    try fields.encode(stored.tags, forKey: .tags)
    try fields.encode(stored.attributes?.entries, forKey: .attributes)
    try fields.encode(stored.languageOverride, forKey: .languageOverride)
    try fields.encode(stored.reportedAt?.rfc3339, forKey: .reportedAt)
    try fields.encode(stored.createdAt.rfc3339, forKey: .createdAt)
    try fields.encode(stored.updatedAt.rfc3339, forKey: .updatedAt)
    try fields.encode(stored.lastSeenAt.rfc3339, forKey: .lastSeenAt)
    guard let result else { return }
    try fields.encode(result.applied, forKey: .applied)
    try fields.encode(result.ignored, forKey: .ignored)
    try fields.encodeIfPresent(result.secret, forKey: .installationSecret)
  }
}

/// The credentials that exist, by kind.
private struct CredentialsView: Encodable {
  var credentials: PerKind<Credential>

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: FieldName.self)
    for kind in CredentialKind.allCases {
      guard let credential = credentials[kind] else { continue }
      try fields.encode(CredentialView(credential: credential), forKey: FieldName(kind.rawValue))
    }
  }
}

/// One credential; dates and reason are null until there are any.
private struct CredentialView: Encodable {
  var credential: Credential

  private enum CodingKeys: String, CodingKey {
    case token, status, reason
    case registeredAt = "registered_at"
    case invalidatedAt = "invalidated_at"
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(credential.token.hex, forKey: .token)
    try fields.encode(credential.status, forKey: .status)
    try fields.encode(credential.registeredAt.rfc3339, forKey: .registeredAt)
    try fields.encode(credential.invalidatedAt?.rfc3339, forKey: .invalidatedAt)
    try fields.encode(credential.reason, forKey: .reason)
  }
}
