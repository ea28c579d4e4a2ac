internal import ASCII
internal import DeviceProfile
package import JSON
package import Postgres

/// What a report changes: a pure function of what is stored, what is reported, and the time.
///
/// ``Registrar`` reads the installation, decides, and writes the decision in a transaction that
/// changes nothing if another writer was faster since the reading. Then the registrar starts over,
/// and also reads who owns the tokens of ``newTokenKeys(stored:report:)``. The first attempt takes
/// the tokens for nobody's: if somebody has one, the write of that attempt is outrun.
package enum Registration {
  /// What a decision is based on.
  package struct Basis: Sendable {
    /// The app's id in the database.
    package var appID: Int32
    /// The installation that reports.
    package var id: InstallationID
    /// The stored installation; from the second attempt on with the times of reports that changed
    /// nothing.
    package var stored: Installation?
    /// The owners of the tokens that the report brings, as far as they were looked up.
    package var owners: [TokenKey: TokenOwner] = [:]
    /// The stored installations of those owners.
    package var holders: [InstallationID: Installation] = [:]
    /// The language chosen for the person whom the report newly names or takes over, if there is
    /// one.
    package var languageOverride: String?
    /// When the report arrived, by the database's clock.
    package var now: Timestamp
    /// Who reports; only an app's takeovers of tokens are bounded.
    package var source = TokenEvent.Source.app
    /// SHA-256 of the secret that a new installation, or one without a secret, is given.
    package var newSecretHash: [UInt8]?
    /// The revision of an installation that is new (``Installation/firstRevision(_:)``).
    package var firstRevision: Int64

    package init(
      appID: Int32, id: InstallationID, stored: Installation? = nil,
      owners: [TokenKey: TokenOwner] = [:], holders: [InstallationID: Installation] = [:],
      languageOverride: String? = nil, now: Timestamp,
      source: TokenEvent.Source = TokenEvent.Source.app, newSecretHash: [UInt8]? = nil,
      firstRevision: Int64 = 1
    ) {
      self.appID = appID
      self.id = id
      self.stored = stored
      self.owners = owners
      self.holders = holders
      self.languageOverride = languageOverride
      self.now = now
      self.source = source
      self.newSecretHash = newSecretHash
      self.firstRevision = firstRevision
    }
  }

  /// The change that a report asks for.
  package struct Decision: Sendable {
    package var effect: Effect
    package var before: Installation?
    /// The state after the decision.
    package var installation: Installation
    package var cause: TokenEvent.Cause
    package var at: Timestamp
    /// Whether the installation got the new secret, which is to be shown.
    package var issuesSecret = false
    /// The event time of the report, its arrival at the latest.
    package var reportedAt: Timestamp?
    /// The kinds of tokens that the report brings.
    fileprivate var brought: [CredentialKind] = []
    /// The parts of the report that were left out, besides the parts that could not be read.
    package var leftOut: [InputProblem] = []

    /// Also a report that changed nothing may write it (``Effect/seen``).
    package var writesRow: Bool { before?.revision != installation.revision }

    /// The sighting that a report of a known installation leaves: when the report was made, and,
    /// unless the row gets that time, when its tokens were brought.
    package var sightings: [Sighting] {
      guard before != nil, effect != .stale else { return [] }
      var sighting = Sighting(
        installation: installation.key, revision: installation.revision, reportedAt: reportedAt)
      if !writesRow {
        for kind in brought where Sighting.kinds.contains(kind) {
          sighting.presented[kind] = at
        }
      }
      return sighting.saysSomething ? [sighting] : []
    }

    /// The change to write, if ``writesRow``.
    package var transition: Transition {
      Transition(from: before, to: installation, at: at, cause)
    }

    /// The installations that lose tokens by the decision, and those tokens.
    package var displaced: [InstallationID: Set<TokenKey>] {
      transition.ledgerEntries.reduce(into: [:]) { displaced, entry in
        guard entry.owner != nil, let previous = entry.previousOwner else { return }
        displaced[previous, default: []].insert(entry.token.key)
      }
    }

    /// The change of an installation that loses tokens by the decision. If the report continues
    /// that installation and it has no token left, it also loses its person, who is at the
    /// installation that reports.
    package func loss(of holder: Installation) -> Transition {
      let tokens = displaced[holder.id] ?? []
      var after = holder.losing(tokens, at: at)
      if cause.continued.contains(holder.id), after.tokenKeys.isEmpty { after.leavePerson() }
      // Later records of the import still count for it.
      if cause.source == .import { after.updatedAt = holder.updatedAt }
      return Transition(from: holder, to: after, at: at, .init(cause.source, movedAway: tokens))
    }
  }

  /// What a report does.
  package enum Effect: Sendable, Hashable {
    /// The installation is new.
    case created
    case updated
    /// The app called, and nothing changed. The times of the report are written into a
    /// ``Sighting``; into the row, with its next revision, only if a time there is a day old
    /// (`last_seen_at`, or the time of a token that the report brings), or for a token that the
    /// table has no column for.
    case seen
    /// The report is older than the stored one; nothing changes.
    case stale
  }

  /// The tokens that a report brings and the installation does not have yet: they may be somebody
  /// else's. An unchanged device has none.
  package static func newTokenKeys(stored: Installation?, report: RegistrationReport) -> [TokenKey]
  {
    guard let environment = report.environment ?? stored?.environment else { return [] }
    let held = stored?.tokenKeys ?? []
    return report.credentials.brought.map { $1.key(as: $0.kind, ofBuild: environment) }
      .filter { !held.contains($0) }
  }

  /// The person whom a report names, if it is not the stored one. The app must prove them, and a
  /// language may be chosen for them. Two spellings of a letter are two persons, as they are to the
  /// database.
  package static func newUser(stored: Installation?, report: RegistrationReport) -> String? {
    guard let user = report.user.value?.id else { return nil }
    return Optional(user).isSpelled(like: stored?.userID) ? nil : user
  }

  /// The installations that an app's report continues: the report brings a token that is theirs
  /// now, which proves as much as in a claim (``InstallationClaim``), and no app has claimed them.
  /// What was known of them stays known, as if the report had come under their name.
  ///
  /// | the token's owner | who reports the token | |
  /// |---|---|---|
  /// | made by an import or the backend | an app, for nobody | continued |
  /// | made by an import or the backend | an app, for the same person | continued |
  /// | made by an import or the backend | an app, for another person | the token moves |
  /// | made by an import or the backend | the backend or an import | the token moves |
  /// | made or claimed by an app | anyone | the token moves |
  private static func continued(
    _ basis: Basis, _ report: RegistrationReport
  ) -> [Installation] {
    guard basis.source == .app, !basis.holders.isEmpty else { return [] }
    return newTokenKeys(stored: basis.stored, report: report).compactMap { key in
      guard let owner = basis.owners[key], owner.id != basis.id,
        let holder = basis.holders[owner.id], holder.secretHash == nil,
        holder.tokenKeys.contains(key)
      else { return nil }
      let named = report.user.value?.id ?? basis.stored?.userID
      guard let person = named, let former = holder.userID else { return holder }
      return person.isSpelled(like: former) ? holder : nil
    }
  }

  /// The person of an installation that a report continues, when it names nobody itself.
  package static func inheritedUser(_ basis: Basis, _ report: RegistrationReport) -> String? {
    guard case .keep = report.user, basis.stored?.userID == nil else { return nil }
    return continued(basis, report).lazy.compactMap(\.userID).first
  }

  package static func decide(
    _ basis: Basis, _ report: RegistrationReport
  ) throws(RegistryFailure) -> Decision {
    let now = basis.now
    let continued = continued(basis, report)
    let cause = TokenEvent.Cause(
      basis.source, removal: "credential_cleared", owners: basis.owners,
      continued: Set(continued.map(\.id)))
    var leftOut: [InputProblem] = []
    func decision(_ effect: Effect, _ next: Installation, issuesSecret: Bool = false) -> Decision {
      Decision(
        effect: effect, before: basis.stored, installation: next, cause: cause, at: now,
        issuesSecret: issuesSecret, reportedAt: report.reportedAt.map { min($0, now) },
        brought: report.credentials.brought.map(\.place.kind), leftOut: leftOut)
    }
    if let stored = basis.stored, let reportedAt = report.reportedAt,
      let newest = stored.reportedAt, reportedAt < newest
    {
      return decision(.stale, stored)
    }
    if let stored = basis.stored, let environment = report.environment,
      environment != stored.environment,
      stored.credentials.contains(where: { place, _ in
        !place.kind.hasOwnEnvironment && !report.credentials.mentions(place.kind)
      })
    {
      throw .environmentNeedsTokens
    }
    var next: Installation
    do throws(InputFailure) {
      if let stored = basis.stored {
        next = stored
      } else {
        next = try created(basis, report)
      }
      for former in continued { next.inherit(former) }
      leftOut = report.excess(over: next)
      apply(report, to: &next, basis)
      try refuseSharedToken(next, basis.stored, report)
    } catch {
      throw .input(error)
    }
    let issuesSecret = next.secretHash == nil && basis.newSecretHash != nil
    if issuesSecret { next.secretHash = basis.newSecretHash }

    guard let stored = basis.stored else {
      let created = decision(.created, next, issuesSecret: issuesSecret)
      try boundTakeovers(of: created)
      return created
    }
    let presented = presented(next, report, now)
    guard next == stored else {
      let updated = decision(
        .updated,
        presented.revised(at: now) { next in
          next.lastSeenAt = max(now, stored.lastSeenAt)
          next.reportedAt = newest(report, stored, now)
        }, issuesSecret: issuesSecret)
      try boundTakeovers(of: updated)
      return updated
    }
    return decision(.seen, seen(stored, report, now))
  }

  /// The state after a report that changes nothing: with the times of the report, and the next
  /// revision, if the row has to be written.
  private static func seen(
    _ stored: Installation, _ report: RegistrationReport, _ now: Timestamp
  ) -> Installation {
    func isOld(_ time: Timestamp) -> Bool { time.advanced(by: RegistryLimits.rowTimeAge) <= now }
    let isDue = report.credentials.brought.contains { place, _ in
      !Sighting.kinds.contains(place.kind)
        || stored.credentials[place].map { isOld($0.presentedAt) } ?? false
    }
    guard isDue || isOld(stored.lastSeenAt) else { return stored }
    var seen = presented(stored, report, now)
    seen.lastSeenAt = max(now, stored.lastSeenAt)
    seen.reportedAt = newest(report, stored, now)
    seen.revision = stored.nextRevision
    return seen
  }

  private static func presented(
    _ next: Installation, _ report: RegistrationReport, _ now: Timestamp
  ) -> Installation {
    var next = next
    for (place, _) in report.credentials.brought {
      next.credentials[place]?.presentedAt = now
    }
    return next
  }

  /// A client key ships inside the app, so a thief could take over the tokens of others one by one,
  /// and keep them. So each token may be taken only a few times a day.
  private static func boundTakeovers(of decision: Decision) throws(RegistryFailure) {
    guard decision.cause.source == .app else { return }
    for entry in decision.transition.ledgerEntries {
      guard let takeovers = entry.takeovers, takeovers.count > RegistryLimits.takeoversPerDay,
        let since = takeovers.since
      else { continue }
      let end = since.advanced(by: .microseconds(Takeovers.window))
      let left = end.microseconds(since: decision.at)
      throw .takeovers(
        retryAfterSeconds: left / 1_000_000 + (left % 1_000_000 > 0 ? 1 : 0))
    }
  }

  private static func created(
    _ basis: Basis, _ report: RegistrationReport
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
      appID: basis.appID, id: basis.id, revision: basis.firstRevision,
      platform: platform, environment: environment,
      reportedAt: report.reportedAt.map { min($0, basis.now) },
      createdAt: basis.now, updatedAt: basis.now, lastSeenAt: basis.now)
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
    _ report: RegistrationReport, to next: inout Installation, _ basis: Basis
  ) {
    let now = basis.now
    let former = next.environment
    next.platform = report.platform ?? next.platform
    next.environment = report.environment ?? next.environment
    next.apply(report.credentials, since: former, at: now)
    ProfileField.forEach { $0.apply(report, &next) }
    let userID = report.user.applied(to: ReportedUser(id: next.userID))?.id
    let isLogOut = userID == nil && next.userID != nil
    if isLogOut || newUser(stored: next, report: report) != nil {
      next.languageOverride = basis.languageOverride
    } else if userID != nil, basis.stored?.userID == nil {
      // A person inherited from a continued installation keeps the language that an import set,
      // unless the backend has chosen one.
      next.languageOverride = basis.languageOverride ?? next.languageOverride
    }
    next.userID = userID
  }

  /// The kinds `apns` and `voip` have separate tokens. The same bytes for both are a mix-up in the
  /// app, by which a call would be sent as an alert and lost. A token that was the other kind's
  /// until now is such a mix-up, too, unless the two change places, which mends it.
  private static func refuseSharedToken(
    _ next: Installation, _ stored: Installation?, _ report: RegistrationReport
  ) throws(InputFailure) {
    for (kind, other) in [(CredentialKind.apns, CredentialKind.voip), (.voip, .apns)] {
      guard let offered = report.credentials.brought[kind]?.token else { continue }
      let isTheOthersNow = next.credentials[other]?.token == offered
      let wasTheOthers = stored?.credentials[other]?.token == offered
      let isExchanged =
        next.credentials[other] != nil
        && next.credentials[other]?.token == stored?.credentials[kind]?.token
      guard isTheOthersNow || wasTheOthers && !isExchanged else { continue }
      throw InputFailure(
        .tokenKindMismatch, at: "/credentials/\(kind.rawValue)/token",
        "This is the token of the other kind: PushKit's goes to voip, UIApplication's to apns.")
    }
  }
}
