import HTTP
import JSON
import Postgres

/// What a report changes: a pure function of what is stored, what is reported, and the time.
///
/// The shell loads the installation, and the owners of the tokens in
/// ``newTokenKeys(stored:report:)`` when there are any; decides; applies the decision in one
/// transaction; and starts over when an answer shows that another writer was faster.
enum Registration {
  /// What is known before deciding.
  struct Situation: Sendable {
    /// The app's row.
    var appID: Int32
    /// The installation that reports.
    var id: InstallationID
    /// What is stored for it.
    var stored: Installation?
    /// The present owners of the tokens it brings, those of no one left out.
    var owners: [TokenKey: InstallationID] = [:]
    /// The server's time.
    var now: Timestamp
    /// SHA-256 of the secret that a new installation, or one without, is given.
    var newSecretHash: [UInt8]?
  }

  /// The changes that a report asks for.
  struct Decision: Sendable, Equatable {
    /// What happened.
    var outcome: Outcome
    /// The state after it.
    var installation: Installation
    /// Tokens that become its own.
    var claims: [Claim] = []
    /// Tokens of its own that it gives up.
    var releases: [TokenKey] = []
    /// Whether the new secret became its own and is to be shown.
    var issuesSecret = false

    /// Installations that lose a token by it.
    var displaced: [InstallationID] {
      claims.compactMap(\.previousOwner).reduce(into: []) { found, id in
        if !found.contains(id) { found.append(id) }
      }
    }
  }

  /// What happened to a report.
  enum Outcome: Sendable, Hashable {
    /// The installation is new.
    case created
    /// Something changed.
    case updated
    /// Nothing changed; nothing is written.
    case unchanged
    /// Nothing changed, but `last_seen_at` is due.
    case touched
    /// The report is older than the stored one; nothing changes.
    case stale
  }

  /// A token that an installation makes its own.
  struct Claim: Sendable, Hashable {
    /// The token.
    var key: TokenKey
    /// Whom it is taken from; the claim fails when someone else has it by then.
    var previousOwner: InstallationID?
  }

  /// The tokens that a report brings and the installation does not have yet: their owners must be
  /// known. Empty for the usual report of an unchanged device.
  static func newTokenKeys(stored: Installation?, report: RegistrationReport) -> [TokenKey] {
    guard let environment = report.environment ?? stored?.environment else { return [] }
    let held = stored?.tokenKeys ?? []
    return CredentialKind.allCases.compactMap { kind in
      let change = report.credentials[kind] ?? .keep
      guard let token = change.applied(to: stored?.credentials[kind]?.token) else { return nil }
      let key = TokenKey(environment: environment, kind: kind, token: token)
      return held.contains(key) ? nil : key
    }
  }

  /// Decides.
  /// - Throws: ``InputFailure`` when the report cannot be applied to what is stored:
  ///   `missing_field`, `token_kind_mismatch`.
  static func decide(
    _ situation: Situation, _ report: RegistrationReport
  ) throws(InputFailure) -> Decision {
    let now = situation.now
    if let stored = situation.stored, let reportedAt = report.reportedAt,
      let newest = stored.reportedAt, reportedAt < newest
    {
      return Decision(outcome: .stale, installation: stored)
    }
    var next: Installation
    if let stored = situation.stored {
      next = stored
    } else {
      next = try created(situation, report)
    }
    apply(report, to: &next, now: now)
    try refuseSharedToken(next, report)
    let issuesSecret = next.secretHash == nil && situation.newSecretHash != nil
    if issuesSecret { next.secretHash = situation.newSecretHash }

    guard let stored = situation.stored else {
      return Decision(
        outcome: .created, installation: next, claims: claims(of: next.tokenKeys, situation),
        issuesSecret: issuesSecret)
    }
    guard next == stored else {
      next.revision += 1
      next.updatedAt = now
      next.lastSeenAt = max(now, stored.lastSeenAt)
      next.reportedAt = newest(report, stored, now)
      let held = stored.tokenKeys
      let wanted = next.tokenKeys
      return Decision(
        outcome: .updated, installation: next,
        claims: claims(of: wanted.filter { !held.contains($0) }, situation),
        releases: held.filter { !wanted.contains($0) },
        issuesSecret: issuesSecret)
    }
    let idle = now.microseconds - stored.lastSeenAt.microseconds
    guard idle >= Limits.touchInterval.components.seconds * 1_000_000 else {
      return Decision(outcome: .unchanged, installation: stored)
    }
    next.lastSeenAt = now
    return Decision(outcome: .touched, installation: next)
  }

  private static func created(
    _ situation: Situation, _ report: RegistrationReport
  ) throws(InputFailure) -> Installation {
    guard let platform = report.platform, let environment = report.environment else {
      let missing = [
        ("platform", report.platform == nil), ("environment", report.environment == nil),
      ]
      throw InputFailure(
        missing.filter(\.1).map { name, _ in
          InputFault.missingField.problem(
            at: "/\(name)", "The first report of an installation needs it.")
        })
    }
    return Installation(
      appID: situation.appID, id: situation.id, revision: 1, platform: platform,
      environment: environment, reportedAt: report.reportedAt.map { min($0, situation.now) },
      createdAt: situation.now, updatedAt: situation.now, lastSeenAt: situation.now)
  }

  /// A device whose clock is ahead must not shut out its own later reports, so no event is later
  /// than its arrival. Reports without a time leave the newest one as it is.
  private static func newest(
    _ report: RegistrationReport, _ stored: Installation, _ now: Timestamp
  ) -> Timestamp? {
    guard let reportedAt = report.reportedAt else { return stored.reportedAt }
    return max(min(reportedAt, now), stored.reportedAt ?? min(reportedAt, now))
  }

  private static func apply(
    _ report: RegistrationReport, to next: inout Installation, now: Timestamp
  ) {
    let isMoved = report.environment.map { $0 != next.environment } ?? false
    next.platform = report.platform ?? next.platform
    next.environment = report.environment ?? next.environment
    for kind in CredentialKind.allCases {
      let held = next.credentials[kind]
      switch report.credentials[kind] ?? .keep {
      case .keep:
        // The other environment's APNs has not seen this token yet: it counts as registered now.
        if isMoved { next.credentials[kind]?.registeredAt = now }
      case .clear:
        next.credentials[kind] = nil
      case .set(let token):
        let isUnchanged = held?.token == token && held?.status == .active && !isMoved
        if !isUnchanged { next.credentials[kind] = .active(token, at: now) }
      }
    }
    next.languages = report.languages.applied(to: next.languages) ?? []
    next.locale = report.locale.applied(to: next.locale)
    next.timeZone = report.timeZone.applied(to: next.timeZone)
    next.appVersion = report.appVersion.applied(to: next.appVersion)
    next.appBuild = report.appBuild.applied(to: next.appBuild)
    next.osVersion = report.osVersion.applied(to: next.osVersion)
    next.deviceModel = report.deviceModel.applied(to: next.deviceModel)
    next.localization = report.localization.applied(to: next.localization) ?? .auto
    next.capabilities = report.capabilities.applied(to: next.capabilities) ?? []
    next.authorization = report.authorization.applied(to: next.authorization)
    next.userID = report.user.applied(to: ReportedUser(id: next.userID))?.id
    next.tags = report.tags.applied(to: next.tags) ?? []
    next.attributes = report.attributes.applied(to: next.attributes)
  }

  /// The kinds have separate tokens; the same bytes twice are a mix-up in the app, and a call sent
  /// as an alert would be lost.
  private static func refuseSharedToken(
    _ next: Installation, _ report: RegistrationReport
  ) throws(InputFailure) {
    guard let apns = next.credentials.apns, apns.token == next.credentials.voip?.token
    else { return }
    let kind = report.credentials.apns?.value == nil ? CredentialKind.voip : .apns
    throw InputFailure([
      InputFault.tokenKindMismatch.problem(
        at: "/credentials/\(kind.rawValue)/token",
        "This is the token of the other kind: PushKit's goes to voip, UIApplication's to apns.")
    ])
  }

  private static func claims(of keys: [TokenKey], _ situation: Situation) -> [Claim] {
    keys.map { key in
      let owner = situation.owners[key]
      return Claim(key: key, previousOwner: owner == situation.id ? nil : owner)
    }
  }
}

extension Installation {
  /// The state without tokens that now belong to another installation; `nil` when it had none of
  /// them (it gave them up meanwhile, and nothing is to be written).
  func losing(_ keys: some Collection<TokenKey>, now: Timestamp) -> Installation? {
    let lost = CredentialKind.allCases.filter { kind in tokenKey(kind).map(keys.contains) ?? false }
    guard !lost.isEmpty else { return nil }
    var next = self
    for kind in lost { next.credentials[kind] = nil }
    next.revision += 1
    next.updatedAt = now
    return next
  }

  /// What removing one credential changes: the state after it and the token it gives up; `nil`
  /// when there is no such credential.
  func removing(
    _ kind: CredentialKind, now: Timestamp
  ) -> (installation: Installation, release: TokenKey)? {
    guard let key = tokenKey(kind), let next = losing([key], now: now) else { return nil }
    return (next, key)
  }
}
