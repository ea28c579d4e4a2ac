package import DeviceProfile
internal import EventLoop
internal import JSON
package import Postgres
internal import Synchronization

/// The registry of installations at one loop: what is reported, revised or purged is decided on
/// what is stored and written behind it, and decided anew when another writer was faster.
package final class Registrar: Sendable {
  package let database: PostgresClient
  /// Registrations that are decided on here, or on their way.
  private let underWay = Atomic(0)
  /// Reports that changed nothing; all loops share them.
  let sightings: Sightings
  private let installations: BatchLoader<LoadInstallations>
  private let devices: BatchLoader<LoadDevices>
  private let reported: BatchLoader<LoadReported>
  private let seen: BatchLoader<LoadSightings>
  private let commits: CommitQueue

  package init(_ database: PostgresClient, sightings: Sightings) {
    self.database = database
    self.sightings = sightings
    installations = BatchLoader(database)
    devices = BatchLoader(database)
    seen = BatchLoader(database)
    let commits = CommitQueue(database)
    self.commits = commits
    reported = BatchLoader(
      database, lane: { database.isDistributed ? $0.installation.id.lane : 0 },
      pace: {
        database.isDistributed
          ? RegistryLimits.spreadRegistrationPace : RegistryLimits.registrationPace
      },
      isAhead: { database.isDistributed && commits.waitingCount > 0 })
  }

  /// Begins to serve; on the loop.
  package func start() {
    installations.start()
    devices.start()
    reported.start()
    seen.start()
    commits.start()
  }

  /// The stored installation, `nil` when the app has none of that id.
  package func load(
    appID: Int32, id: InstallationID
  ) async throws(PostgresError) -> Installation? {
    try await installations.load(InstallationKey(appID: appID, id: id))
  }

  /// The same, with what is known of reports that changed nothing: what it is decided on whether
  /// something is older than the app's last word.
  package func recall(
    appID: Int32, id: InstallationID
  ) async throws(PostgresError) -> Installation? {
    guard var stored = try await load(appID: appID, id: id) else { return nil }
    _ = try await recall(&stored)
    return stored
  }

  /// Many of them, in no order.
  /// - Parameter keys: Each once.
  package func recall(_ keys: [InstallationKey]) async throws(PostgresError) -> [Installation] {
    let seen = Dictionary(
      try await LoadSightings.read(keys, from: database).map { ($0.installation, $0) }
    ) { $1 }
    return try await LoadInstallations.read(keys, from: database).map { stored in
      var stored = stored
      if let seen = seen[stored.key] { stored.recall(seen) }
      sightings.recall(&stored)
      return stored
    }
  }

  /// Adds what is known of reports that changed nothing.
  /// - Returns: What is written of them.
  private func recall(_ stored: inout Installation) async throws(PostgresError) -> SightingRow? {
    let seen = try await self.seen.load(stored.key)
    if let seen { stored.recall(seen) }
    sightings.recall(&stored)
    return seen
  }

  /// What a notification depends on of a stored installation, as far as no attribute matters; `nil`
  /// when the app has none of that id.
  package func device(
    appID: Int32, id: InstallationID, _ kind: CredentialKind, _ aspects: DeviceAspects
  ) async throws(PostgresError) -> AudienceRow? {
    let key = DeviceKey(
      installation: InstallationKey(appID: appID, id: id), isVoIP: kind == .voip,
      aspects: Int32(aspects.rawValue))
    return try await devices.load(key)?.device
  }

  /// The language that the backend chose for a person.
  package func language(of user: UserKey) async throws(PostgresError) -> String? {
    try await database.read(LoadUserLanguages(users: [user])).first?.language
  }

  /// Writes changes that were decided elsewhere; on return they are committed.
  /// - Returns: `false` when another writer was faster and nothing was written.
  package func commit(_ changes: ChangeSet) async throws(PostgresError) -> Bool {
    try await write(changes) != .outrun
  }

  /// Takes a report: loads, decides, writes; and again when another writer was faster. On return
  /// the decision is committed. It may be called on any loop.
  /// - Parameter prepare: Looks at what is stored before it is decided on: it may refuse, give a
  ///   secret, and leave something out of the report. It may be called on another loop, as `admit`.
  /// - Parameter admit: Looks at what is to be written, and may refuse it; again when it is decided
  ///   anew.
  /// - Throws: What `prepare` and `admit` throw; ``RegistryFailure``; ``PostgresError``.
  package func register(
    appID: Int32, id: InstallationID, _ report: RegistrationReport, source: TokenEvent.Source,
    now: Timestamp,
    prepare: (inout Registration.Situation, inout RegistrationReport) throws -> Void = { _, _ in },
    admit: (ChangeSet) throws -> Void = { _ in }
  ) async throws -> Registration.Decision {
    underWay.add(1, ordering: .relaxed)
    defer { underWay.subtract(1, ordering: .relaxed) }
    let incoming = Incoming(
      installation: InstallationKey(appID: appID, id: id), report: report, source: source, now: now)
    return try await withTaskExecutorPreference(database.loop) {
      try await decideAndWrite(incoming, Attempt(), prepare: prepare, admit: admit)
    }
  }

  /// Whether reports of other loops may come: few are under way here, and there is a connection.
  var takesOthers: Bool {
    underWay.load(ordering: .relaxed) < RegistryLimits.gatheredRegistrations
      && database.seemsConnected
  }

  // MARK: The steps of a report

  /// A report as it came.
  struct Incoming {
    let installation: InstallationKey
    let report: RegistrationReport
    let source: TokenEvent.Source
    /// When it came.
    let now: Timestamp

    /// The person whom it names.
    var user: UserKey? {
      report.user.value?.id.map { UserKey(appID: installation.appID, id: $0) }
    }
  }

  /// How an attempt at a report differs from the first one, by what that met.
  struct Attempt {
    /// Whether it looks at what hardly any report meets, which the first attempt leaves to its
    /// write to find out: other owners of its tokens, and newer reports that changed nothing.
    var looksWidely = false
    /// Whether it was found to be older than a report that changed nothing. That one may have
    /// changed the row after it was read; the answer shows the row as it is behind that.
    var isKnownToBeStale = false
    /// The failure of the last write, when the server chose it from those that waited for each
    /// other: the others were faster.
    var deadlock: PostgresError?

    /// Another one was faster.
    mutating func wasOutrun() { looksWidely = true }

    /// Whether a report that is older than one that changed nothing is looked at once more.
    mutating func looksAgain(at decision: Registration.Decision, _ ground: Ground) -> Bool {
      guard decision.outcome == .stale, ground.isBehind, !isKnownToBeStale else { return false }
      isKnownToBeStale = true
      return true
    }
  }

  /// What a report is decided on.
  struct Ground {
    var situation: Registration.Situation
    /// The language chosen for the person whom the report names, if the row is not theirs yet.
    var language: String?
    /// Whether a newer report that changed nothing is known than the row knows of.
    var isBehind: Bool { situation.stored?.reportedAt != situation.rowTime }
    /// From before it was read.
    var moment: Sightings.Moment
    /// The person whose device the installation becomes.
    var newcomer: UserKey?
  }

  /// Decides on a report and writes it, and again while others are faster.
  func decideAndWrite(
    _ incoming: Incoming, _ first: Attempt,
    prepare: (inout Registration.Situation, inout RegistrationReport) throws -> Void,
    admit: (ChangeSet) throws -> Void
  ) async throws -> Registration.Decision {
    var attempt = first
    for _ in 0..<RegistryLimits.registrationAttempts {
      var report = incoming.report
      var ground = try await find(incoming, attempt)
      try prepare(&ground.situation, &report)
      try await findOthers(&ground, report, incoming.user, attempt)
      var decision = try Registration.decide(ground.situation, report)
      if attempt.looksAgain(at: decision, ground) { continue }
      let changes = changes(by: &decision, report, ground, attempt)
      try admit(changes)
      let result = try await write(changes, &attempt)
      if result == .outrun { continue }
      // Chosen meanwhile, the choice did not find this device, which was not yet the person's.
      if result == .overtaken, let newcomer = ground.newcomer {
        try await alignLanguages(of: newcomer, at: incoming.now)
      }
      return decision
    }
    throw attempt.deadlock ?? RegistryFailure.outrun
  }

  /// Reads what is stored, and what is known of reports that changed nothing.
  private func find(_ incoming: Incoming, _ attempt: Attempt) async throws -> Ground {
    let moment = sightings.moment
    let key = incoming.installation
    let found = try await reported.load(ReportedKey(installation: key, user: incoming.user))
    var ground = Ground(
      situation: Registration.Situation(
        appID: key.appID, id: key.id, stored: found?.installation, now: incoming.now,
        source: incoming.source),
      language: found?.language, moment: moment)
    guard var stored = found?.installation else { return ground }
    ground.situation.rowTime = stored.reportedAt
    if attempt.looksWidely {
      let seen = try await recall(&stored)
      ground.situation.deadSince = seen?.deadSince ?? PerKind()
    } else {
      sightings.recall(&stored)
    }
    ground.situation.stored = stored
    return ground
  }

  /// Looks up the owners of new tokens, and the language of the person whose device it becomes.
  private func findOthers(
    _ ground: inout Ground, _ report: RegistrationReport, _ user: UserKey?, _ attempt: Attempt
  ) async throws {
    let stored = ground.situation.stored
    if Registration.newUser(stored: stored, report: report) != nil {
      ground.newcomer = user
      ground.situation.languageOverride = ground.language
    }
    let tokens = Registration.newTokenKeys(stored: stored, report: report)
    guard attempt.looksWidely, !tokens.isEmpty else { return }
    let appID = ground.situation.appID
    (ground.situation.owners, ground.situation.holders) = try await owners(of: tokens, appID: appID)
    if let inherited = Registration.inheritedUser(ground.situation, report) {
      let person = UserKey(appID: appID, id: inherited)
      ground.situation.languageOverride = try await language(of: person)
      ground.newcomer = person
    }
  }

  /// The owners of tokens, and what is stored of them.
  private func owners(
    of tokens: [TokenKey], appID: Int32
  ) async throws -> ([TokenKey: TokenOwner], [InstallationID: Installation]) {
    var owners: [TokenKey: TokenOwner] = [:]
    var holders: [InstallationID: Installation] = [:]
    let owned = tokens.map { OwnedToken(appID: appID, key: $0) }
    for (token, owner) in try await database.read(LoadTokenOwners(tokens: owned)) {
      // One that is gone has given its token up since. To take it from the name alone would be to
      // take it from whatever is made under that name meanwhile, which would keep it.
      guard let holder = try await load(appID: appID, id: owner.id) else { continue }
      holders[owner.id] = holder
      owners[token.key] = owner
    }
    return (owners, holders)
  }

  /// What a decision writes. A report that changes nothing is noted, or is written all the same
  /// where something may have changed behind what was read; the decision says so then.
  private func changes(
    by decision: inout Registration.Decision, _ report: RegistrationReport, _ ground: Ground,
    _ attempt: Attempt
  ) -> ChangeSet {
    var isTouch = decision.outcome == .touched
    if decision.outcome.isUnwritten, let stored = decision.before {
      // A touch was passed over, as someone else writes the row, or deletes it: this waits for
      // that.
      let mustBeWritten = isTouch && attempt.looksWidely || !stands(stored, report, ground)
      if mustBeWritten {
        decision.becomeWritten(report)
        isTouch = false
      }
    }
    var changes = ChangeSet()
    switch decision.outcome {
    case .unchanged, .stale: return changes
    case .touched where isTouch: changes.touches = [decision.installation]
    case .touched, .created, .updated:
      changes.transitions = [decision.transition]
      changes.claims = decision.claims
    }
    // Also one that gave its token up meanwhile: behind its next revision it cannot have taken the
    // token back unseen.
    for id in decision.displaced.keys {
      guard let holder = ground.situation.holders[id] else { continue }
      changes.transitions.append(decision.loss(of: holder))
    }
    changes.choice = ground.newcomer.map {
      ChosenLanguage(user: $0, language: ground.situation.languageOverride)
    }
    return changes
  }

  /// Notes a report that changes nothing.
  /// - Returns: `false` when something may have changed behind what was read.
  private func stands(
    _ stored: Installation, _ report: RegistrationReport, _ ground: Ground
  ) -> Bool {
    let sighting = Sighting(
      stored, report, source: ground.situation.source, at: ground.situation.now)
    switch sightings.note(sighting, known: stored.reportedAt, readBehind: ground.moment) {
    case .stands: return true
    case .mustBeWritten: return false
    case .standsAndWaits:
      database.loop.execute { [self] in await writeSightings() }
      return true
    }
  }

  /// Commits changes of a decision that can be made anew.
  private func write(
    _ changes: ChangeSet, _ attempt: inout Attempt
  ) async throws(PostgresError) -> CommitResult {
    attempt.deadlock = nil
    do throws(PostgresError) {
      let result = try await write(changes)
      if result == .outrun { attempt.wasOutrun() }
      return result
    } catch {
      guard error.isOfDeadlock else { throw error }
      attempt.deadlock = error
      attempt.wasOutrun()
      return .outrun
    }
  }

  /// Commits changes, unless a report that waits to be written down is newer.
  private func write(_ changes: ChangeSet) async throws(PostgresError) -> CommitResult {
    guard let ended = sightings.begin(changes) else { return .outrun }
    return try await commits.commit(changes, ended: ended)
  }

  /// What becomes of an installation.
  package enum Revision: Sendable {
    /// It stays as it is.
    case keep
    /// It gets this state, of the next revision.
    case write(Installation)
    /// It gets this state, in which APNs' answer takes a token out of use, unless the app has
    /// brought the token since.
    case takeOut(Installation, CredentialKind, deadSince: Timestamp)
    /// It goes, with its tokens.
    case delete
  }

  /// Changes one installation by a pure function of its state, and again when another writer was
  /// faster. On return the change is committed.
  /// - Parameters:
  ///   - attempts: How often it is decided.
  ///   - breaker: It is written only as long as this breaker is not open.
  ///   - admit: Looks at what is to be written, and may refuse it; again when it is decided anew.
  ///   - decide: Gets the installation with what is known of reports that changed nothing.
  /// - Returns: What was done.
  /// - Throws: What `decide` and `admit` throw; ``RegistryFailure``; ``PostgresError``.
  @discardableResult
  package func revise(
    appID: Int32, id: InstallationID, at now: Timestamp, _ cause: TokenEvent.Cause,
    attempts: Int = RegistryLimits.registrationAttempts, whileClosed breaker: BreakerKey? = nil,
    admit: (ChangeSet) throws -> Void = { _ in }, decide: (Installation?) throws -> Revision
  ) async throws -> Revision {
    var attempt = Attempt()
    for _ in 0..<attempts {
      let stored = try await recall(appID: appID, id: id)
      var changes = ChangeSet()
      changes.closedBreakers = [breaker].compactMap { $0 }
      let revision = try decide(stored)
      switch (revision, stored) {
      case (.keep, _), (.delete, nil): return .keep
      case (.write(let next), _):
        changes.transitions = [Transition(from: stored, to: next, at: now, cause)]
      case (.takeOut(let next, let kind, let time), _):
        changes.transitions = [Transition(from: stored, to: next, at: now, cause)]
        var claim = SightingRow(installation: next.key, revision: next.revision)
        claim.deadSince[kind] = time
        changes.claims = [claim]
      case (.delete, let stored?):
        changes.transitions = [Transition(deleting: stored, at: now, cause)]
      }
      try admit(changes)
      if try await write(changes, &attempt) != .outrun { return revision }
    }
    throw attempt.deadlock ?? RegistryFailure.outrun
  }

  /// Changes many installations, each by itself, together in few rounds.
  /// - Returns: What was done, in no order.
  package func revise(
    _ ids: [InstallationID], of appID: Int32, at now: Timestamp, _ cause: TokenEvent.Cause,
    decide: @escaping @Sendable (Installation) -> Revision
  ) async throws -> [Revision] {
    try await withThrowingTaskGroup { group in
      for id in ids {
        group.addTask {
          try await self.revise(appID: appID, id: id, at: now, cause) { $0.map(decide) ?? .keep }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }
}
