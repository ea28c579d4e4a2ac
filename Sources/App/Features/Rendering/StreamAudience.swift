internal import DeviceProfile
internal import FoundationEssentials
internal import Localization
internal import Postgres
internal import Registry
internal import Rendering

/// One device of an audience: its address, and what its notification depends on.
struct AudienceRow: Sendable {
  var installationID: UUID
  /// The token's bytes; `nil` when there is none of the kind.
  var token: Bytea?
  var environment: Environment
  /// What decides about what it gets.
  var traits: RawColumns
}

/// The devices that a filter lets through, in the order in which they are found.
///
/// Columns that cannot make a difference are null in every row: devices then have fewer different
/// traits, and there is less to transfer.
struct StreamAudience: Statement {
  static let sql = """
    SELECT installation_id, CASE WHEN $15 THEN voip_token ELSE apns_token END,
      environment = 'sandbox', CASE WHEN $15 THEN voip_status ELSE apns_status END,
      platform, languages, language_override, app_build, app_version,
      CASE WHEN $16 THEN locale END, CASE WHEN $17 THEN time_zone END,
      CASE WHEN $18 THEN os_version END, CASE WHEN $18 THEN localization END,
      CASE WHEN $18 THEN capabilities END, CASE WHEN $18 THEN background_refresh END,
      CASE WHEN $19 THEN "authorization" END
    FROM installation WHERE \(InstallationFilter.condition) LIMIT $20
    """
  /// The columns of ``AudienceRow/traits``.
  private static let traits = 13

  static var isPlannedEachTime: Bool { true }

  let filter: InstallationFilter
  /// Only these installations.
  let ids: [InstallationID]?
  let kind: CredentialKind
  let aspects: DeviceAspects
  /// Rows at most; `nil` for all.
  var limit: Int?

  func bind(to parameters: inout Parameters) {
    filter.bind(ids: ids, to: &parameters)
    parameters.append(kind == .voip)
    parameters.append(aspects.contains(.locale))
    parameters.append(aspects.contains(.timeZone))
    parameters.append(aspects.contains(.abilities))
    parameters.append(aspects.contains(.authorization))
    parameters.append(limit.map { Int64($0) })
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> AudienceRow {
    AudienceRow(
      installationID: try row.next(), token: try row.nextOptional(),
      environment: try row.next(Bool.self) ? .sandbox : .production,
      traits: try row.nextRaw(columns: traits))
  }
}

/// A device, or that there is no way to it.
enum Addressee: Sendable {
  case device(Device)
  case unreachable(SkipReason)
}

/// Why a device of an audience gets nothing.
enum SkipReason: String, Sendable, CaseIterable {
  /// It has no token of the kind.
  case noCredential = "no_credential"
  /// Its token was refused once and not yet brought again.
  case credentialQuarantined = "credential_quarantined"
  /// Its token is no longer valid.
  case credentialInvalid = "credential_invalid"
  /// The person denied what the message shows.
  case denied = "denied"
  /// The payload has more bytes than APNs takes.
  case payloadTooLarge = "payload_too_large"
  /// No catalog has a text for it, or the message has nothing to show.
  case nothingToShow = "nothing_to_show"
  /// The audience lists it, and it is not there.
  case installationNotFound = "installation_not_found"

  init?(status: CredentialStatus?) {
    switch status {
    case .active: return nil
    case .quarantined: self = .credentialQuarantined
    case .invalid: self = .credentialInvalid
    case nil: self = .noCredential
    }
  }
}

extension Addressee {
  /// Reads the traits of a row.
  init(_ row: inout RawColumnReader) throws(PostgresError) {
    let status = try row.nextOptional(String.self)
    if let reason = SkipReason(status: status.flatMap(CredentialStatus.init)) {
      self = .unreachable(reason)
      return
    }
    let platform = try row.next(String.self)
    let languages = try row.next([String].self)
    let override = try row.nextOptional(String.self)
    var device = Device(
      platform: Platform(rawValue: platform) ?? .ios,
      languages: languages.compactMap { LanguageTag($0) },
      override: override.flatMap { LanguageTag($0) })
    device.appBuild = try row.nextOptional()
    device.appVersion = try row.nextOptional()
    device.locale = try row.nextOptional()
    device.timeZone = try row.nextOptional()
    device.osVersion = try row.nextOptional(String.self).flatMap { Version($0) }
    device.localization =
      try row.nextOptional(String.self).flatMap { .init(rawValue: $0) } ?? .auto
    device.capabilities = Set(try row.nextOptional([String].self) ?? [])
    device.backgroundRefresh =
      try row.nextOptional(String.self).flatMap { BackgroundRefresh(rawValue: $0) }
    device.permissions =
      try row.nextOptional(String.self).map { Authorization(json: $0).permissions }
      ?? Permissions()
    self = .device(device)
  }

  /// What rendering must know of an installation.
  init(_ installation: Installation, _ kind: CredentialKind) {
    if let reason = SkipReason(status: installation.credentials[kind]?.status) {
      self = .unreachable(reason)
      return
    }
    var device = Device(
      platform: Platform(rawValue: installation.platform.rawValue) ?? .ios,
      languages: installation.languages.compactMap { LanguageTag($0) },
      override: installation.languageOverride.flatMap { LanguageTag($0) })
    device.locale = installation.locale
    device.timeZone = installation.timeZone
    device.appVersion = installation.appVersion
    device.appBuild = installation.appBuild
    device.osVersion = installation.osVersion.flatMap { Version($0) }
    device.localization = .init(rawValue: installation.localization.rawValue) ?? .auto
    device.capabilities = Set(installation.capabilities)
    device.backgroundRefresh = installation.backgroundRefresh
    device.permissions = installation.authorization?.permissions ?? Permissions()
    self = .device(device)
  }
}
