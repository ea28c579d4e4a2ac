package import DeviceProfile
internal import EventLoop
internal import JSON
package import Postgres
internal import Synchronization

/// The registry of installations at one loop. It reads what is stored, decides what a report or a
/// call changes, and writes that. If another writer was faster, it reads and decides again.
package final class Registrar: Sendable {
  package let database: PostgresClient
  /// How many reports this loop is working on.
  private let underWay = Atomic(0)
  private let installations: BatchLoader<LoadInstallations>
  private let devices: BatchLoader<LoadDevices>
  /// For reports: they may wait a moment for each other, so that one statement reads more of them.
  private let reportedInstallations: BatchLoader<LoadInstallations>
  private let languages: BatchLoader<LoadUserLanguages>
  private let sightings: BatchLoader<LoadSightings>
  let commits: CommitQueue
  private let imports: CommitQueue

  package init(_ database: PostgresClient) {
    self.database = database
    installations = BatchLoader(database)
    devices = BatchLoader(database)
    languages = BatchLoader(database)
    sightings = BatchLoader(database)
    commits = CommitQueue(database)
    imports = CommitQueue(database, isPatient: true)
    reportedInstallations = BatchLoader(database, pace: RegistryLimits.registrationPace)
  }

  /// Begins to serve; on the loop.
  package func start() {
    installations.start()
    devices.start()
    languages.start()
    reportedInstallations.start()
    sightings.start()
    commits.start()
    imports.start()
  }

  /// The stored installation, `nil` when the app has none of that id.
  package func load(
    appID: Int32, id: InstallationID
  ) async throws(PostgresError) -> Installation? {
    try await installations.load(InstallationKey(appID: appID, id: id))
  }

  /// The stored installation, with the times of reports that changed nothing. Use this one to tell
  /// whether something is older than the app's last report.
  package func loadWithSightings(
    appID: Int32, id: InstallationID
  ) async throws(PostgresError) -> Installation? {
    let key = InstallationKey(appID: appID, id: id)
    // The sighting is read first: so the row is not older than it, and tells all that the newest
    // report has changed.
    let sighting = try await sightings.load(key)
    var stored = try await installations.load(key)
    if let sighting { stored?.add(sighting) }
    return stored
  }

  /// The same for many installations, in no order.
  /// - Parameter keys: Each once.
  package func loadWithSightings(
    _ keys: [InstallationKey]
  ) async throws(PostgresError) -> [Installation] {
    let sightings = Dictionary(
      try await database.read(LoadSightings(keys: keys)).map { ($0.installation, $0) }
    ) { $1 }
    return try await database.read(LoadInstallations(keys: keys)).map { stored in
      var stored = stored
      if let sighting = sightings[stored.key] { stored.add(sighting) }
      return stored
    }
  }

  /// The part of a stored installation that a notification depends on, if no attribute matters;
  /// `nil` when the app has no installation of that id.
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
    try await languages.load(user)?.language
  }

  /// Writes a change that an import has decided; on return it is committed. Imports have rounds of
  /// their own, so that no registration waits behind a file.
  /// - Returns: `false` when another writer was faster and nothing was written.
  package func write(imported changes: ChangeSet) async throws -> Bool {
    var attempt = AttemptState()
    let result = try await write(changes, &attempt, by: imports)
    if result == .languageChanged, let user = changes.choice?.user,
      let change = changes.transitions.first
    {
      try await alignLanguages(of: user, at: change.at)
    }
    return result != .outrun
  }

  /// Takes a report: reads what is stored, decides, and writes; again if another writer was faster.
  /// On return the report is committed, also if it changed nothing. You may call it on any loop.
  /// - Parameter authorize: Sees what is stored before the decision: it may refuse the report, give
  ///   a secret, and leave something out of the report. Each attempt calls it.
  /// - Parameter admit: Sees what is to be written, and may refuse it. Each attempt calls it. Like
  ///   `authorize` it may be called on another loop than yours.
  /// - Throws: What `authorize` and `admit` throw; ``RegistryFailure``; ``PostgresError``.
  package func register(
    appID: Int32, id: InstallationID, _ report: RegistrationReport, source: TokenEvent.Source,
    now: Timestamp,
    authorize: (inout Registration.Basis, inout RegistrationReport) throws -> Void = { _, _ in },
    admit: (ChangeSet) throws -> Void = { _ in }
  ) async throws -> Registration.Decision {
    underWay.add(1, ordering: .relaxed)
    defer { underWay.subtract(1, ordering: .relaxed) }
    let incoming = Incoming(
      installation: InstallationKey(appID: appID, id: id), report: report, source: source, now: now)
    return try await withTaskExecutorPreference(database.loop) {
      try await decideAndWrite(incoming, authorize: authorize, admit: admit)
    }
  }

  /// Whether other loops may bring their reports here: this one has few, and is connected.
  var takesOthers: Bool {
    underWay.load(ordering: .relaxed) < RegistryLimits.gatheredRegistrations
      && database.seemsConnected
  }

  // MARK: The steps of a report

  /// A report as it came.
  private struct Incoming {
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

  /// What the attempts before this one met.
  private struct AttemptState {
    /// Whether to read token owners and sightings, too. The first attempt skips them, as hardly any
    /// report needs them: its write fails if they mattered, and a refusal is decided again.
    var readsEverything = false
    /// The deadlock that ended the last write, if one did. The other transactions in it could go
    /// on, so a new decision makes progress.
    var deadlock: PostgresError?

    /// Another writer was faster.
    mutating func wasOutrun() { readsEverything = true }
  }

  /// What an attempt has read.
  private struct Findings {
    var basis: Registration.Basis
    /// The person whose device the installation becomes.
    var newUser: UserKey?
  }

  /// Decides on a report and writes the decision; again while other writers are faster.
  private func decideAndWrite(
    _ incoming: Incoming,
    authorize: (inout Registration.Basis, inout RegistrationReport) throws -> Void,
    admit: (ChangeSet) throws -> Void
  ) async throws -> Registration.Decision {
    var attempt = AttemptState()
    for _ in 0..<RegistryLimits.registrationAttempts {
      var report = incoming.report
      var found = try await find(incoming, attempt)
      try authorize(&found.basis, &report)
      try await findOthers(&found, report, incoming.user, attempt)
      // If the sightings have a newer report, this one is stale: it is not refused then, also not
      // by `admit`.
      let mayBeStale =
        !attempt.readsEverything && found.basis.stored != nil && report.reportedAt != nil
      let decision: Registration.Decision
      let changes: ChangeSet
      do {
        decision = try Registration.decide(found.basis, report)
        changes = ChangeSet(decision, from: found.basis, newUser: found.newUser)
        try admit(changes)
      } catch _ where mayBeStale {
        attempt.readsEverything = true
        continue
      }
      let result = try await write(changes, &attempt)
      if result == .outrun { continue }
      // The backend chose a language meanwhile, and did not find this device among the person's.
      if result == .languageChanged, let newUser = found.newUser {
        try await alignLanguages(of: newUser, at: incoming.now)
      }
      return decision
    }
    throw attempt.deadlock ?? RegistryFailure.outrun
  }

  /// Reads what is stored.
  private func find(_ incoming: Incoming, _ attempt: AttemptState) async throws -> Findings {
    let key = incoming.installation
    let stored =
      attempt.readsEverything
      ? try await loadWithSightings(appID: key.appID, id: key.id)
      : try await reportedInstallations.load(key)
    return Findings(
      basis: Registration.Basis(
        appID: key.appID, id: key.id, stored: stored, now: incoming.now, source: incoming.source))
  }

  /// Looks up the language of the person whose device the installation becomes and, except in a
  /// first attempt, the owners of new tokens.
  private func findOthers(
    _ found: inout Findings, _ report: RegistrationReport, _ user: UserKey?,
    _ attempt: AttemptState
  ) async throws {
    let stored = found.basis.stored
    if let user, Registration.newUser(stored: stored, report: report) != nil {
      found.newUser = user
      found.basis.languageOverride = try await language(of: user)
    }
    let tokens = Registration.newTokenKeys(stored: stored, report: report)
    guard attempt.readsEverything, !tokens.isEmpty else { return }
    let appID = found.basis.appID
    (found.basis.owners, found.basis.holders) = try await owners(of: tokens, appID: appID)
    if let inherited = Registration.inheritedUser(found.basis, report) {
      let person = UserKey(appID: appID, id: inherited)
      found.basis.languageOverride = try await language(of: person)
      found.newUser = person
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
      // The holder is gone: treat the token as nobody's. A new installation may have the id by now,
      // and it is not the one that held the token.
      guard let holder = try await load(appID: appID, id: owner.id) else { continue }
      holders[owner.id] = holder
      owners[token.key] = owner
    }
    return (owners, holders)
  }

  /// Commits changes. A deadlock counts as a faster writer, as the decision can be made again.
  private func write(
    _ changes: ChangeSet, _ attempt: inout AttemptState, by queue: CommitQueue? = nil
  ) async throws(PostgresError) -> CommitResult {
    attempt.deadlock = nil
    do throws(PostgresError) {
      let result = try await (queue ?? commits).commit(changes)
      if result == .outrun { attempt.wasOutrun() }
      return result
    } catch {
      guard error.isOfDeadlock else { throw error }
      attempt.deadlock = error
      attempt.wasOutrun()
      return .outrun
    }
  }

  /// What a call does with an installation.
  package enum RevisionAction: Sendable {
    /// It stays as it is.
    case keep
    /// It gets this state, of the next revision.
    case write(Installation)
    /// It gets this state, in which a token is out of use by an answer of APNs. If the app has
    /// brought the token after that time, the action is decided again. A report of a token without
    /// a column has made a new revision, which says the same.
    case takeOut(Installation, CredentialKind, deadSince: Timestamp)
    /// It goes, with its tokens.
    case delete
  }

  /// Changes one installation by a pure function of its state; again if another writer was faster.
  /// On return the change is committed.
  /// - Parameters:
  ///   - attempts: How often the change is decided at most.
  ///   - breaker: If this breaker is open, nothing is written, as if another writer was faster.
  ///   - admit: Sees what is to be written, and may refuse it. Each attempt calls it.
  ///   - decide: Gets the installation, with the times of reports that changed nothing.
  /// - Returns: What was done.
  /// - Throws: What `decide` and `admit` throw; ``RegistryFailure``; ``PostgresError``.
  @discardableResult
  package func revise(
    appID: Int32, id: InstallationID, at now: Timestamp, _ cause: TokenEvent.Cause,
    attempts: Int = RegistryLimits.registrationAttempts, whileClosed breaker: BreakerKey? = nil,
    admit: (ChangeSet) throws -> Void = { _ in }, decide: (Installation?) throws -> RevisionAction
  ) async throws -> RevisionAction {
    var attempt = AttemptState()
    for _ in 0..<attempts {
      let stored = try await loadWithSightings(appID: appID, id: id)
      var changes = ChangeSet()
      changes.closedBreakers = [breaker].compactMap { $0 }
      let revision = try decide(stored)
      switch (revision, stored) {
      case (.keep, _), (.delete, nil): return .keep
      case (.write(let next), _):
        changes.transitions = [Transition(from: stored, to: next, at: now, cause)]
      case (.takeOut(let next, let kind, let time), _):
        changes.transitions = [Transition(from: stored, to: next, at: now, cause)]
        guard Sighting.kinds.contains(kind) else { break }
        var sighting = Sighting(installation: next.key, revision: next.revision)
        sighting.deadSince[kind] = time
        changes.sightings = [sighting]
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
    decide: @escaping @Sendable (Installation) -> RevisionAction
  ) async throws -> [RevisionAction] {
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
