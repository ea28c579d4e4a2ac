import EventLoop
import JSON
import Postgres
import Registry
import Synchronization

/// Decides on the records of a batch and writes what they change, most of it in one transaction.
/// Changes for which another writer was faster are decided again and written alone.
///
/// A batch goes through these steps, in rounds (``ImportRound``) until no record is left:
///
/// 1. What is stored of the installations and the owners of the tokens is read.
/// 2. ``ImportDecision`` says what each group of records changes.
/// 3. All changes that do not collide are written by one transaction (``JointChanges``).
/// 4. The others go one after the other, on the way of all registrations.
struct ImportWriter: Sendable {
  let context: LoopContext
  let order: ImportOrder
  /// Where it writes; `nil` in a dry run.
  let session: BulkSession?
  /// What a dry run would have written.
  let memory = DryRunMemory()

  /// The first round of a batch, decided while the batch before it was written.
  struct Prepared: Sendable {
    fileprivate let joint: JointChanges
    /// The records of later rounds.
    fileprivate let rest: [Int]
    fileprivate let results: [RecordResult]
  }

  /// Decides the first round of a batch while the one before it is written. If that one changes
  /// what was read here, writing finds another revision and everything is decided again.
  /// - Returns: `nil` when the batch must wait for the one before it: they have an installation or
  ///   a token in common, groups collide, or a record is rejected. (Nothing is written for a
  ///   rejected record, so nobody would notice that the other batch removed the reason.) Also after
  ///   a failure: it comes again when the records are applied.
  func prepare(
    _ records: [ImportRecord], whileWriting others: [ImportRecord]
  ) async -> Prepared? {
    guard session != nil, !records.isEmpty else { return nil }
    do {
      let round = try await onThread {
        ImportRound.haveNothingInCommon(records, others)
          ? ImportRound(records, Array(records.indices)) : nil
      }
      guard let round else { return nil }
      var results = [RecordResult](repeating: .unchanged, count: records.count)
      let joint = try await jointChanges(records, round.groups, &results)
      let decided = results + joint.changes.flatMap(\.results)
      guard joint.colliding.isEmpty, !decided.contains(where: \.isRejected) else { return nil }
      return Prepared(joint: joint, rest: round.rest, results: results)
    } catch {
      return nil
    }
  }

  /// Applies records in their order.
  /// - Parameter prepared: What was decided of them already.
  /// - Returns: What became of each.
  func apply(
    _ records: [ImportRecord], _ prepared: Prepared? = nil
  ) async throws -> [RecordResult] {
    var results = prepared?.results ?? [RecordResult](repeating: .unchanged, count: records.count)
    var rest = prepared?.rest ?? Array(records.indices)
    if let prepared { try await write(records, prepared.joint, &results) }
    while !rest.isEmpty {
      let round = try await onThread { [rest] in ImportRound(records, rest) }
      rest = round.rest
      let joint = try await jointChanges(records, round.groups, &results)
      try await write(records, joint, &results)
    }
    return results
  }

  /// How many records of a batch a condition holds of, by what is there after the batch; those that
  /// were rejected aside.
  func count(
    _ records: [ImportRecord], _ results: [RecordResult], _ condition: InstallationCondition
  ) async throws -> Int {
    let taken = zip(records, results).compactMap { $1.isRejected ? nil : $0.id }
    let stored = try await load(taken)
    return try await onThread {
      taken.count { id in stored[id].map { condition.holds(for: $0) } ?? false }
    }
  }

  /// Runs what needs no database on a thread.
  private func onThread<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value
  ) async throws -> Value {
    try await context.shared.workers.requests.run(isUnderWay: true, work)
  }

  /// Writes the changes of a round together, and then, one by one, those that had to be left out.
  private func write(
    _ records: [ImportRecord], _ decided: JointChanges, _ results: inout [RecordResult]
  ) async throws {
    var joint = decided
    /// Groups that are left for the end: they collide, or another writer was faster.
    var alone: [ImportGroup] = []
    /// Groups that were not written because others of the transaction were outrun.
    var together: [ImportGroup] = []
    // The second attempt is for those.
    for attempt in 1...2 {
      let changes = joint.changes
      alone += joint.colliding
      let outrun = try await write(joint)
      guard !outrun.isEmpty else {
        for change in changes { change.note(in: &results) }
        together = []
        try await alignLanguages(of: changes)
        break
      }
      alone += outrun.map { changes[$0].group }
      together = changes.indices.filter { !outrun.contains($0) }.map { changes[$0].group }
      if attempt == 1 { joint = try await jointChanges(records, together, &results) }
    }
    for index in (alone + together).flatMap({ $0 }).sorted() {
      try await applyAlone(records, index, &results)
    }
  }

  /// Applies one record like a registration; again while another writer is faster.
  private func applyAlone(
    _ records: [ImportRecord], _ index: Int, _ results: inout [RecordResult]
  ) async throws {
    for _ in 0..<RegistryLimits.registrationAttempts {
      guard let change = try await decide(records, [[index]], &results).first,
        !change.transitions.isEmpty
      else { return }
      do throws(PostgresError) {
        guard try await commit(change) else { continue }
        change.note(in: &results)
      } catch {
        if error.isOfDeadlock { continue }
        guard error.isOfOneRecord else { throw error }
        results[index] = .rejected([
          ImportFault.notStorable.problem("The database does not take this record.")
        ])
        return
      }
      return try await alignLanguages(of: [change])
    }
    results[index] = .rejected([
      ImportFault.outrun.problem("Others keep changing this installation or its tokens.")
    ])
  }

  private func commit(_ change: ImportChange) async throws(PostgresError) -> Bool {
    guard session != nil else {
      memory.note(change.transitions)
      return true
    }
    return try await context.registrar.commit(
      ChangeSet(transitions: change.transitions, times: change.times))
  }

  /// Reads the languages of the persons again after the commit of changes. A language that the
  /// backend chose meanwhile did not find devices that were not yet the person's
  /// (``Registrar/alignLanguages(of:at:)``).
  private func alignLanguages(of changes: [ImportChange]) async throws {
    let known = changes.reduce(into: [UserKey: String?]()) { known, change in
      known.merge(change.languages) { $1 }
    }
    guard session != nil, !known.isEmpty else { return }
    let languages = try await loadLanguages(Set(known.keys))
    for (user, language) in known where languages[user] != language {
      try await context.registrar.alignLanguages(
        of: user, at: context.shared.clock().wholeMilliseconds)
    }
  }

  // MARK: Deciding

  /// What groups change that can be decided at once; the results of those that change nothing are
  /// set.
  private func jointChanges(
    _ records: [ImportRecord], _ groups: [ImportGroup], _ results: inout [RecordResult]
  ) async throws -> JointChanges {
    let changes = try await decide(records, groups, &results)
    let isDryRun = session == nil
    return try await onThread { JointChanges(changes, isDryRun: isDryRun) }
  }

  /// Loads what is stored and decides.
  /// - Returns: What is changed, and what is rejected; the results of all that change nothing are
  ///   set.
  private func decide(
    _ records: [ImportRecord], _ groups: [ImportGroup], _ results: inout [RecordResult]
  ) async throws -> [ImportChange] {
    let now = context.shared.clock().wholeMilliseconds
    let groups = groups.map { group in (group, group.map { records[$0] }) }
    let stored = try await load(groups.map { $1[0].id })
    let tokens = try await onThread {
      groups.map { _, records in
        Set(
          records.flatMap { record in
            Registration.newTokenKeys(stored: stored[record.id], report: record.report)
          })
      }
    }
    let named = try await loadOwners(tokens.flatMap { $0 })
    let holders = try await load(named.values.map(\.id))
    // If the holder of a token is gone, the token is treated as nobody's, like in `Registrar`.
    let owners = named.filter { holders[$0.value.id] != nil }
    let users =
      groups.flatMap(\.1).compactMap { $0.report.user.value?.id }
      + stored.values.compactMap(\.userID)
    let languages = try await loadLanguages(
      Set(users.map { UserKey(appID: order.app.id, id: $0) }))
    let (app, appID) = (order.app, order.app.id)
    let shared = context.shared
    let changes = try await onThread {
      zip(groups, tokens).map { group, tokens in
        var basis = Registration.Basis(
          appID: appID, id: group.1[0].id, stored: stored[group.1[0].id], now: now,
          source: .import)
        if basis.stored == nil { basis.firstRevision = shared.firstRevision() }
        for token in tokens { basis.owners[token] = owners[token] }
        let (decision, decided) = ImportDecision.decide(
          basis, group.1, holders: holders, languages: languages, app: app)
        let transitions = decision.map { [$0.transition] + Self.losses($0, holders) } ?? []
        let isRejected = decided.contains(where: \.isRejected)
        return ImportChange(
          group: group.0, results: decided, transitions: transitions,
          times: decision?.times ?? [],
          ledgerEntries: transitions.flatMap(\.ledgerEntries),
          languages: group.1.reduce(into: [:]) { named, record in
            guard let id = record.report.user.value?.id else { return }
            let user = UserKey(appID: appID, id: id)
            named.updateValue(languages[user], forKey: user)
          },
          rejectedFor: isRejected
            ? ([basis.id] + basis.owners.values.map(\.id)).map {
              InstallationKey(appID: appID, id: $0)
            } : [])
      }
    }
    for change in changes where change.transitions.isEmpty { change.note(in: &results) }
    return changes.filter { !$0.transitions.isEmpty || !$0.rejectedFor.isEmpty }
  }

  /// The changes of installations that lose tokens. Their `updated_at` stays, so that later records
  /// of this import still count for them.
  private static func losses(
    _ decision: Registration.Decision, _ holders: [InstallationID: Installation]
  ) -> [Transition] {
    decision.displaced.compactMap { id, tokens in
      holders[id].map { holder in
        var after = holder.losing(tokens, at: decision.at)
        after.updatedAt = holder.updatedAt
        return Transition(
          from: holder, to: after, at: decision.at, .init(.import, movedAway: tokens))
      }
    }
  }

  private func load(_ ids: [InstallationID]) async throws -> [InstallationID: Installation] {
    guard !ids.isEmpty else { return [:] }
    let keys = Set(ids).map { InstallationKey(appID: order.app.id, id: $0) }
    var found: [InstallationID: Installation] = [:]
    for installation in try await context.registrar.loadWithSightings(keys) {
      found[installation.id] = installation
    }
    if session == nil { memory.overlay(&found, ids) }
    return found
  }

  private func loadOwners(_ keys: [TokenKey]) async throws -> [TokenKey: TokenOwner] {
    guard !keys.isEmpty else { return [:] }
    let tokens = keys.map { OwnedToken(appID: order.app.id, key: $0) }
    var owners: [TokenKey: TokenOwner] = [:]
    for (token, owner) in try await context.database.read(LoadTokenOwners(tokens: tokens)) {
      owners[token.key] = owner
    }
    if session == nil { memory.overlay(&owners, keys) }
    return owners
  }

  /// The languages that were chosen for persons.
  private func loadLanguages(_ users: Set<UserKey>) async throws -> [UserKey: String] {
    guard !users.isEmpty else { return [:] }
    return Dictionary(
      try await context.database.read(LoadUserLanguages(keys: Array(users))).map {
        ($0.user, $0.language)
      }, uniquingKeysWith: { $1 })
  }

  // MARK: Writing

  /// Another writer was faster than some changes of a transaction: their places.
  private struct Outrun: Error { var places: Set<Int> }

  /// Writes changes in one transaction. Its statements are in the order that `RoundWrites` of the
  /// registry explains, so that it and a round never wait for each other.
  /// - Returns: The places of those that another writer was faster than; then nothing is written.
  private func write(_ joint: JointChanges) async throws -> Set<Int> {
    guard !joint.changes.isEmpty else { return [] }
    guard let session else {
      memory.note(joint.changes.flatMap(\.transitions))
      return []
    }
    do {
      try await session.transaction { try await Self.write(joint, of: order.app.id, session) }
      return []
    } catch let outrun as Outrun {
      return outrun.places
    } catch let error as PostgresError where error.isOfOneRecord {
      return Set(joint.changes.indices)
    }
  }

  private static func write(
    _ joint: JointChanges, of appID: Int32, _ session: BulkSession
  ) async throws {
    let changes = joint.changes
    try await session.run(LockApps(ids: [appID]))
    try await session.copy(joint.rows, into: "import_staging")
    var written: Set<InstallationKey> = []
    if joint.hasNew { written.formUnion(try await session.run(InsertStagedInstallations())) }
    if joint.hasKnown {
      written.formUnion(try await session.run(UpdateStagedInstallations(appID: appID)))
    }
    let entries = joint.entries
    let tokens = entries.isEmpty ? [] : Set(try await session.run(WriteLedger(entries: entries)))
    let times = changes.flatMap(\.times)
    let timed = times.isEmpty ? [] : Set(try await session.run(WriteSightings(times: times)))
    if written.count < joint.transitions || tokens.count < entries.count
      || timed.count < times.count
    {
      throw Outrun(
        places: Set(
          changes.indices.filter { index in
            !written.isSuperset(of: changes[index].keys)
              || !tokens.isSuperset(of: changes[index].ledgerEntries.map(\.token))
              || !timed.isSuperset(of: changes[index].times.map(\.installation))
          }))
    }
    try await session.run(InsertTokenEvents(events: joint.events.ofTokens))
    guard !joint.events.ofInstallations.isEmpty else { return }
    try await session.run(InsertInstallationEvents(events: joint.events.ofInstallations))
  }
}

extension RecordResult {
  fileprivate var isRejected: Bool {
    if case .rejected = self { true } else { false }
  }
}

extension PostgresError {
  /// Whether one record can cause it. All are of one app: when that is gone, none is at fault.
  fileprivate var isOfOneRecord: Bool { isOfOneRow && !isOfMissingApp }
}

/// What a dry run would have written, as far as later records may meet it.
///
/// It remembers the last installations only. If a record repeats the id or token of one that was
/// forgotten, it is counted as if that one were not there.
final class DryRunMemory: Sendable {
  private struct Generation {
    var installations: [InstallationID: Installation] = [:]
    /// The owners of tokens; `nil` of those given up.
    var owners: [TokenKey: InstallationID?] = [:]
  }
  private let generations = Mutex((recent: Generation(), older: Generation()))

  /// Notes changes in their order.
  func note(_ transitions: [Transition]) {
    generations.withLock { generations in
      for transition in transitions {
        if generations.recent.installations.count >= Limits.dryRunInstallations {
          generations.older = generations.recent
          generations.recent = Generation()
        }
        guard let after = transition.after else { continue }
        generations.recent.installations[after.id] = after
        for entry in transition.ledgerEntries {
          generations.recent.owners[entry.token.key] = .some(entry.owner)
        }
      }
    }
  }

  /// Puts what would be stored in the place of what is.
  func overlay(_ found: inout [InstallationID: Installation], _ ids: [InstallationID]) {
    generations.withLock { generations in
      for id in ids {
        let noted = generations.recent.installations[id] ?? generations.older.installations[id]
        if let noted { found[id] = noted }
      }
    }
  }

  /// Puts what would be the owners in the place of those that are.
  func overlay(_ owners: inout [TokenKey: TokenOwner], _ keys: [TokenKey]) {
    generations.withLock { generations in
      for key in keys {
        guard let noted = generations.recent.owners[key] ?? generations.older.owners[key] else {
          continue
        }
        owners[key] = noted.map { TokenOwner(id: $0) }
      }
    }
  }
}
