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
  /// What lately arrived and was not written; all loops share it.
  package let recentReports: RecentReports
  private let installations: BatchLoader<LoadInstallations>
  private let devices: BatchLoader<LoadDevices>
  private let reported: BatchLoader<LoadReported>
  private let commits: CommitQueue

  package init(_ database: PostgresClient, recentReports: RecentReports) {
    self.database = database
    self.recentReports = recentReports
    installations = BatchLoader(database)
    devices = BatchLoader(database)
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
    commits.start()
  }

  /// The stored installation, `nil` when the app has none of that id.
  package func load(
    appID: Int32, id: InstallationID
  ) async throws(PostgresError) -> Installation? {
    try await installations.load(InstallationKey(appID: appID, id: id))
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
    try await commits.commit(changes) != .outrun
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
    // Before anything is read: feedback that is decided on meanwhile must know of it.
    let before = recentReports.notePresented(report, appID: appID, at: now)
    func takeBack() {
      recentReports.takeBackPresented(report, appID: appID, at: now, before)
    }
    underWay.add(1, ordering: .relaxed)
    defer { underWay.subtract(1, ordering: .relaxed) }
    do {
      let decision = try await withTaskExecutorPreference(database.loop) {
        try await decideAndWrite(
          appID: appID, id: id, report, source: source, now: now, prepare: prepare, admit: admit)
      }
      if decision.outcome == .stale { takeBack() }
      return decision
    } catch {
      // After a failure of the database it may be written all the same.
      if !(error is PostgresError) { takeBack() }
      throw error
    }
  }

  /// Whether reports of other loops may come: few are under way here, and there is a connection.
  var takesOthers: Bool {
    underWay.load(ordering: .relaxed) < RegistryLimits.gatheredRegistrations
      && database.seemsConnected
  }

  private func decideAndWrite(
    appID: Int32, id: InstallationID, _ given: RegistrationReport, source: TokenEvent.Source,
    now: Timestamp,
    prepare: (inout Registration.Situation, inout RegistrationReport) throws -> Void,
    admit: (ChangeSet) throws -> Void
  ) async throws -> Registration.Decision {
    // Hardly any new token has an owner, so the first attempt does not ask; if there is one, the
    // claim fails and the second attempt does.
    var asksOwners = false
    var noted: Timestamp?
    var deadlock: (any Error)?
    let key = InstallationKey(appID: appID, id: id)
    let user = given.user.value?.id.map { UserKey(appID: appID, id: $0) }
    for _ in 0..<RegistryLimits.registrationAttempts {
      let endedWrites = recentReports.order.withLock(\.ended)
      let found = try await reported.load(ReportedKey(installation: key, user: user))
      var stored = found?.installation
      let life = stored?.life
      let newest = noted ?? recentReports.order.withLock { order in life.flatMap(order.newest) }
      if let time = newest {
        let written = stored?.reportedAt ?? time
        stored?.reportedAt = max(time, written)
      }
      var situation = Registration.Situation(
        appID: appID, id: id, stored: stored, now: now, source: source)
      var report = given
      try prepare(&situation, &report)
      let hasNewUser = Registration.newUser(stored: situation.stored, report: report) != nil
      var newcomer = hasNewUser ? user : nil
      if hasNewUser { situation.languageOverride = found?.language }
      let newTokens = Registration.newTokenKeys(stored: situation.stored, report: report)
      if asksOwners, !newTokens.isEmpty {
        (situation.owners, situation.holders) = try await owners(of: newTokens, appID: appID)
        if let inherited = Registration.inheritedUser(situation, report) {
          let person = UserKey(appID: appID, id: inherited)
          situation.languageOverride = try await language(of: person)
          newcomer = person
        }
      }
      var decision = try Registration.decide(situation, report)
      if decision.outcome == .stale, noted == nil, let newest {
        // The newer report may have changed the row after it was read here; the answer shows it.
        noted = newest
        continue
      }
      // A touch was passed over, as someone else writes the row, or deletes it; or an older report
      // is written just now. A write waits for that.
      let isContested =
        contest(report, &decision, readBehind: endedWrites)
        || decision.outcome == .touched && asksOwners
      if isContested { decision.installation.revision += 1 }
      var changes = changes(of: decision, situation.holders, isContested: isContested)
      changes.choice = newcomer.map {
        ChosenLanguage(user: $0, language: situation.languageOverride)
      }
      try admit(changes)
      // One that changes nothing takes nothing back, however late it is written.
      let time = isContested || changes.transitions.isEmpty ? nil : report.reportedAt
      guard let ended = begin(time, decision) else { continue }
      let result = try await commit(changes, &deadlock, ended: ended)
      if result == .outrun {
        asksOwners = true
        continue
      }
      // Chosen meanwhile, the choice did not find this device, which was not yet the person's.
      if result == .overtaken, let newcomer { try await alignLanguages(of: newcomer, at: now) }
      return decision
    }
    throw deadlock ?? RegistryFailure.outrun
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

  /// Notes the time of a report that is not to be written. Where another one may follow, it is to
  /// be written after all, and the decision says so.
  /// - Returns: Whether it is.
  private func contest(
    _ report: RegistrationReport, _ decision: inout Registration.Decision,
    readBehind endedWrites: UInt64
  ) -> Bool {
    guard decision.outcome.isUnwritten, let time = report.reportedAt.map({ min($0, decision.at) })
    else { return false }
    // What is older than the row was decided on its time, and is none to be written.
    if let known = decision.installation.reportedAt, time <= known { return false }
    let life = decision.installation.life
    guard !recentReports.order.withLock({ $0.note(time, of: life, readBehind: endedWrites) })
    else { return false }
    decision.outcome = .touched
    decision.installation.reportedAt = max(time, decision.installation.reportedAt ?? time)
    return true
  }

  /// Begins to write what was decided on a report.
  /// - Parameter time: The time of the report, if others must know that it is being written.
  /// - Returns: What is to be called when that has ended; `nil` when a newer report came.
  private func begin(
    _ time: Timestamp?, _ decision: Registration.Decision
  ) -> CommitQueue.Ended? {
    let key = decision.installation.key
    let life = decision.before?.life
    if let time, !recentReports.order.withLock({ $0.begin(time, of: key, life) }) { return nil }
    return { [recentReports] result in
      recentReports.order.withLock { order in
        if time != nil { order.end(of: key, result) }
        if let end = try? result.get(), end != .outrun { order.noteWritten(key) }
      }
    }
  }

  /// Commits changes of a decision that can be made anew.
  /// - Parameter deadlock: The failure, when the server chose the transaction from those that
  ///   waited for each other: the others were faster.
  private func commit(
    _ changes: ChangeSet, _ deadlock: inout (any Error)?, ended: CommitQueue.Ended? = nil
  ) async throws(PostgresError) -> CommitResult {
    deadlock = nil
    do throws(PostgresError) {
      return try await commits.commit(changes, ended: ended)
    } catch {
      guard error.isOfDeadlock else { throw error }
      deadlock = error
      return .outrun
    }
  }

  /// What a decision writes.
  /// - Parameter holders: The owners of its tokens, read behind the ledger.
  private func changes(
    of decision: Registration.Decision, _ holders: [InstallationID: Installation],
    isContested: Bool
  ) -> ChangeSet {
    var changes = ChangeSet()
    switch decision.outcome {
    case .unchanged, .stale: return changes
    case .touched where !isContested: changes.touches = [decision.installation]
    case .touched, .created, .updated: changes.transitions = [decision.transition]
    }
    // Also one that gave its token up meanwhile: behind its next revision it cannot have taken the
    // token back unseen.
    for id in decision.displaced.keys {
      if let holder = holders[id] { changes.transitions.append(decision.loss(of: holder)) }
    }
    return changes
  }

  /// What becomes of an installation.
  package enum Revision: Sendable {
    /// It stays as it is.
    case keep
    /// It gets this state, of the next revision.
    case write(Installation)
    /// It goes, with its tokens.
    case delete
  }

  /// Changes one installation by a pure function of its state, and again when another writer was
  /// faster. On return the change is committed.
  /// - Parameter admit: Looks at what is to be written, and may refuse it; again when it is decided
  ///   anew.
  /// - Returns: What was done.
  /// - Throws: What `decide` and `admit` throw; ``RegistryFailure``; ``PostgresError``.
  @discardableResult
  package func revise(
    appID: Int32, id: InstallationID, at now: Timestamp, _ cause: TokenEvent.Cause,
    admit: (ChangeSet) throws -> Void = { _ in }, decide: (Installation?) throws -> Revision
  ) async throws -> Revision {
    var deadlock: (any Error)?
    for _ in 0..<RegistryLimits.registrationAttempts {
      let stored = try await load(appID: appID, id: id)
      var changes = ChangeSet()
      let revision = try decide(stored)
      switch (revision, stored) {
      case (.keep, _), (.delete, nil): return .keep
      case (.write(let next), _):
        changes.transitions = [Transition(from: stored, to: next, at: now, cause)]
      case (.delete, let stored?):
        changes.transitions = [Transition(deleting: stored, at: now, cause)]
      }
      try admit(changes)
      if try await commit(changes, &deadlock) != .outrun { return revision }
    }
    throw deadlock ?? RegistryFailure.outrun
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
