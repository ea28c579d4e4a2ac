import EventLoop
import JSON
import Postgres
import Registry

/// Decides on the records of a batch and writes what changes, in one transaction if nobody else is
/// faster; those who lost a race go on alone.
struct ImportWriter: Sendable {
  typealias Outcome = ImportDecision.Outcome

  let context: LoopContext
  let order: ImportOrder
  /// Where it writes; `nil` in a dry run.
  let session: BulkSession?
  /// What a dry run would have written.
  let memory = DryRunMemory()

  /// What was decided on a batch while the one before it was written.
  struct Ahead: Sendable {
    fileprivate let portion: Portion
    /// What goes behind it.
    fileprivate let rest: [Int]
    fileprivate let outcomes: [Outcome]
  }

  /// Decides on a batch while the one before it is written. Where that one changes what was read
  /// here, writing finds out.
  /// - Returns: `nil` where the order of the two matters, where records touch each other's tokens,
  ///   and where one is rejected, which writes nothing that could find out; after a failure, too,
  ///   which comes again when the records are applied.
  func ahead(_ records: [ImportRecord], behind others: [ImportRecord]) async -> Ahead? {
    guard session != nil, !records.isEmpty else { return nil }
    do {
      let round = try await apart {
        Self.areApart(records, others) ? Self.takeRound(records, Array(records.indices)) : nil
      }
      guard let (round, rest) = round else { return nil }
      var outcomes = [Outcome](repeating: .unchanged, count: records.count)
      let portion = try await portion(records, round, &outcomes)
      let decided = outcomes + portion.changes.flatMap(\.outcomes)
      guard portion.entangled.isEmpty, !decided.contains(where: \.isRejected) else { return nil }
      return Ahead(portion: portion, rest: rest, outcomes: outcomes)
    } catch {
      return nil
    }
  }

  /// Whether no installation and no token is in both.
  private static func areApart(_ records: [ImportRecord], _ others: [ImportRecord]) -> Bool {
    let ids = Set(others.map(\.id))
    let tokens = Set(others.flatMap(\.report.tokens))
    return records.allSatisfy {
      !ids.contains($0.id) && tokens.isDisjoint(with: $0.report.tokens)
    }
  }

  /// Applies records in their order.
  /// - Parameter ahead: What was decided on them already.
  /// - Returns: What became of each.
  func apply(_ records: [ImportRecord], _ ahead: Ahead? = nil) async throws -> [Outcome] {
    var outcomes = ahead?.outcomes ?? [Outcome](repeating: .unchanged, count: records.count)
    var rest = ahead?.rest ?? Array(records.indices)
    if let ahead { try await write(records, ahead.portion, &outcomes) }
    while !rest.isEmpty {
      let (round, kept) = try await apart { [rest] in Self.takeRound(records, rest) }
      rest = kept
      try await write(records, try await portion(records, round, &outcomes), &outcomes)
    }
    return outcomes
  }

  /// How many records of a batch a condition holds of, by what is there after the batch; those that
  /// were rejected aside.
  func count(
    _ records: [ImportRecord], _ outcomes: [Outcome], _ condition: InstallationCondition
  ) async throws -> Int {
    let taken = zip(records, outcomes).compactMap { $1.isRejected ? nil : $0.id }
    let stored = try await load(taken)
    return try await apart {
      taken.count { id in stored[id].map { condition.holds(for: $0) } ?? false }
    }
  }

  /// Runs what needs no database on a thread.
  private func apart<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value
  ) async throws -> Value {
    try await context.shared.workers.requests.run(isUnderWay: true, work)
  }

  /// Takes from the front what can go together: no installation and no token twice, but for records
  /// that repeat both, which make a chain. What stays behind keeps its order.
  private static func takeRound(
    _ records: [ImportRecord], _ rest: [Int]
  ) -> (round: [Chain], rest: [Int]) {
    var round: [Chain] = []
    var places: [InstallationID: Int] = [:]
    var tokens: Set<DeviceToken> = []
    var kept: [Int] = []
    var keptIDs: Set<InstallationID> = []
    var keptTokens: Set<DeviceToken> = []
    for index in rest {
      let record = records[index]
      let brought = record.report.tokens
      let isFree = !keptIDs.contains(record.id) && keptTokens.isDisjoint(with: brought)
      if isFree, let place = places[record.id],
        records[round[place][0]].report.tokens == brought
      {
        round[place].append(index)
      } else if isFree, places[record.id] == nil, tokens.isDisjoint(with: brought) {
        places[record.id] = round.count
        round.append([index])
        tokens.formUnion(brought)
      } else {
        kept.append(index)
        keptIDs.insert(record.id)
        keptTokens.formUnion(brought)
      }
    }
    return (round, kept)
  }

  /// Writes what was decided on a round, anew while others are faster.
  private func write(
    _ records: [ImportRecord], _ decided: Portion, _ outcomes: inout [Outcome]
  ) async throws {
    var portion = decided
    var together: [Chain] = []
    var alone: [Chain] = []
    // The second attempt is of those whose neighbours lost the first.
    for attempt in 1...2 {
      let changes = portion.changes
      alone += portion.entangled
      let lost = try await write(portion)
      guard !lost.isEmpty else {
        for change in changes { change.note(in: &outcomes) }
        together = []
        try await alignLanguages(of: changes)
        break
      }
      alone += lost.map { changes[$0].chain }
      together = changes.indices.filter { !lost.contains($0) }.map { changes[$0].chain }
      if attempt == 1 { portion = try await self.portion(records, together, &outcomes) }
    }
    for index in (alone + together).flatMap({ $0 }).sorted() {
      try await applyAlone(records, index, &outcomes)
    }
  }

  /// Applies one record on the way of all registrations, again while another writer is faster.
  private func applyAlone(
    _ records: [ImportRecord], _ index: Int, _ outcomes: inout [Outcome]
  ) async throws {
    for _ in 0..<RegistryLimits.registrationAttempts {
      guard let change = try await decide(records, [[index]], &outcomes).first,
        !change.transitions.isEmpty
      else { return }
      do throws(PostgresError) {
        guard try await commit(change) else { continue }
        change.note(in: &outcomes)
      } catch {
        if error.isOfDeadlock { continue }
        guard error.isOfOneRecord else { throw error }
        outcomes[index] = .rejected([
          ImportFault.notStorable.problem("The database does not take this record.")
        ])
        return
      }
      return try await alignLanguages(of: [change])
    }
    outcomes[index] = .rejected([
      ImportFault.outrun.problem("Others keep changing this installation or its tokens.")
    ])
  }

  private func commit(_ change: Change) async throws(PostgresError) -> Bool {
    guard session != nil else {
      memory.note(change.transitions)
      return true
    }
    return try await context.registrar.commit(
      ChangeSet(transitions: change.transitions, claims: change.claims))
  }

  /// Looks again, behind the commit of changes, at the languages of their persons. A choice that
  /// came meanwhile did not find devices that were not yet the person's
  /// (``Registrar/alignLanguages(of:at:)``).
  private func alignLanguages(of changes: [Change]) async throws {
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

  /// What a round changes; the outcomes of all others are set.
  private func portion(
    _ records: [ImportRecord], _ round: [Chain], _ outcomes: inout [Outcome]
  ) async throws -> Portion {
    let changes = try await decide(records, round, &outcomes)
    let isDryRun = session == nil
    return try await apart { Portion(changes, isDryRun: isDryRun) }
  }

  /// Loads what is stored and decides.
  /// - Returns: What is changed, and what is rejected; the outcomes of all that change nothing are
  ///   set.
  private func decide(
    _ records: [ImportRecord], _ round: [Chain], _ outcomes: inout [Outcome]
  ) async throws -> [Change] {
    let now = context.shared.clock().wholeMilliseconds
    let chains = round.map { chain in (chain, chain.map { records[$0] }) }
    let stored = try await load(chains.map { $1[0].id })
    let tokens = try await apart {
      chains.map { _, records in
        Set(
          records.flatMap { record in
            Registration.newTokenKeys(stored: stored[record.id], report: record.report)
          })
      }
    }
    let named = try await loadOwners(tokens.flatMap { $0 })
    let holders = try await load(named.values.map(\.id))
    // One that is gone has given its token up since; see ``Registrar``.
    let owners = named.filter { holders[$0.value.id] != nil }
    let users =
      round.joined().compactMap { records[$0].report.user.value?.id }
      + stored.values.compactMap(\.userID)
    let languages = try await loadLanguages(
      Set(users.map { UserKey(appID: order.app.id, id: $0) }))
    let appID = order.app.id
    let shared = context.shared
    let changes = try await apart {
      zip(chains, tokens).map { chain, tokens in
        var situation = Registration.Situation(
          appID: appID, id: chain.1[0].id, stored: stored[chain.1[0].id], now: now,
          source: .import)
        if situation.stored == nil { situation.firstRevision = shared.firstRevision() }
        for token in tokens { situation.owners[token] = owners[token] }
        let (decision, decided) = ImportDecision.decide(
          situation, chain.1, holders: holders, languages: languages)
        let transitions = decision.map { [$0.transition] + Self.losses($0, holders) } ?? []
        let isRejected = decided.contains(where: \.isRejected)
        return Change(
          chain: chain.0, outcomes: decided, transitions: transitions,
          claims: decision?.claims ?? [],
          ledgerEntries: transitions.flatMap(\.ledgerEntries),
          languages: chain.1.reduce(into: [:]) { named, record in
            guard let id = record.report.user.value?.id else { return }
            let user = UserKey(appID: appID, id: id)
            named.updateValue(languages[user], forKey: user)
          },
          conditions: isRejected
            ? ([situation.id] + situation.owners.values.map(\.id)).map {
              InstallationKey(appID: appID, id: $0)
            } : [])
      }
    }
    for change in changes where change.transitions.isEmpty { change.note(in: &outcomes) }
    return changes.filter { !$0.transitions.isEmpty || !$0.conditions.isEmpty }
  }

  /// What happens to those that lose tokens. They have said nothing new, so what they say later in
  /// the body still counts.
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
    for installation in try await context.registrar.recall(keys) {
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
      try await context.database.read(LoadUserLanguages(users: Array(users))).map {
        ($0.user, $0.language)
      }, uniquingKeysWith: { $1 })
  }

  // MARK: Writing

  private struct Lost: Error { var indexes: Set<Int> }

  /// Writes changes in one transaction, in the order of statements of all writers (see
  /// ``CommitQueue``), so that no two can wait for each other in a circle.
  /// - Returns: The places of those that another writer was faster than; then nothing is written.
  private func write(_ portion: Portion) async throws -> Set<Int> {
    guard !portion.changes.isEmpty else { return [] }
    guard let session else {
      memory.note(portion.changes.flatMap(\.transitions))
      return []
    }
    do {
      try await session.transaction { try await Self.write(portion, session) }
      return []
    } catch let lost as Lost {
      return lost.indexes
    } catch let error as PostgresError where error.isOfOneRecord {
      return Set(portion.changes.indices)
    }
  }

  private static func write(_ portion: Portion, _ session: BulkSession) async throws {
    let changes = portion.changes
    if session.isDistributed, let app = changes.first?.keys.first?.appID {
      try await session.run(LockApps(ids: [app]))
    }
    try await session.copy(portion.rows, into: "import_staging")
    var written: Set<InstallationKey> = []
    if portion.hasNew { written.formUnion(try await session.run(InsertStagedInstallations())) }
    if portion.hasKnown { written.formUnion(try await session.run(UpdateStagedInstallations())) }
    let entries = portion.entries
    let tokens = entries.isEmpty ? [] : Set(try await session.run(WriteLedger(entries: entries)))
    let claims = changes.flatMap(\.claims)
    let claimed = claims.isEmpty ? [] : Set(try await session.run(ClaimSightings(claims: claims)))
    if written.count < portion.transitions || tokens.count < entries.count
      || claimed.count < claims.count
    {
      throw Lost(
        indexes: Set(
          changes.indices.filter { index in
            !written.isSuperset(of: changes[index].keys)
              || !tokens.isSuperset(of: changes[index].ledgerEntries.map(\.token))
              || !claimed.isSuperset(of: changes[index].claims.map(\.installation))
          }))
    }
    try await session.run(InsertTokenEvents(events: portion.events.ofTokens))
    guard !portion.events.ofInstallations.isEmpty else { return }
    try await session.run(InsertInstallationEvents(events: portion.events.ofInstallations))
  }
}

extension ImportDecision.Outcome {
  fileprivate var isRejected: Bool {
    if case .rejected = self { true } else { false }
  }
}

extension PostgresError {
  /// Whether one record can cause it. All are of one app: when that is gone, none is at fault.
  fileprivate var isOfOneRecord: Bool { isOfOneRow && !isOfMissingApp }
}

extension RegistrationReport {
  /// The tokens that it brings.
  fileprivate var tokens: [DeviceToken] {
    CredentialKind.allCases.compactMap { credentials[$0]?.value }
  }
}
