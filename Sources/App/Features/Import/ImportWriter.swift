import EventLoop
import JSON
import Postgres
import Registry

/// Decides on the records of a batch and writes what changes, in one transaction if nobody else is
/// faster; those who lost a race go on alone.
struct ImportWriter: Sendable {
  typealias Outcome = ImportDecision.Outcome

  /// Records of one installation with the same tokens, by their places in the batch.
  fileprivate typealias Chain = [Int]

  /// The changes of a chain: all of them or none.
  fileprivate struct Change {
    var chain: Chain
    var outcomes: [Outcome]
    var transitions: [Transition]
    var ledgerEntries: [LedgerEntry]

    /// The installations that it changes.
    var keys: [InstallationKey] { transitions.compactMap(\.key) }

    func note(in all: inout [Outcome]) {
      for (index, outcome) in zip(chain, outcomes) { all[index] = outcome }
    }
  }

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
    guard session != nil else { return nil }
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
      guard let change = try await decide(records, [[index]], &outcomes).first else { return }
      do throws(PostgresError) {
        guard try await commit(change) else { continue }
        change.note(in: &outcomes)
      } catch {
        guard error.isOfOneRecord else { throw error }
        outcomes[index] = .rejected([
          ImportFault.notStorable.problem("The database does not take this record.")
        ])
      }
      return
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
    var changes = ChangeSet()
    changes.transitions = change.transitions
    return try await context.registrar.commit(changes)
  }

  // MARK: Deciding

  /// What a round changes; the outcomes of those that change nothing are set.
  private func portion(
    _ records: [ImportRecord], _ round: [Chain], _ outcomes: inout [Outcome]
  ) async throws -> Portion {
    let changes = try await decide(records, round, &outcomes)
    let isDryRun = session == nil
    return try await apart { Portion(changes, isDryRun: isDryRun) }
  }

  /// Loads what is stored and decides; the outcomes of those that change nothing are set.
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
    let languages = try await loadLanguages(round.joined().map { records[$0] })
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
        return Change(
          chain: chain.0, outcomes: decided, transitions: transitions,
          ledgerEntries: transitions.flatMap(\.ledgerEntries))
      }
    }
    for change in changes where change.transitions.isEmpty { change.note(in: &outcomes) }
    return changes.filter { !$0.transitions.isEmpty }
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
    for installation in try await LoadInstallations.read(keys, from: context.database) {
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

  /// The languages that were chosen for the persons whom records name.
  private func loadLanguages(_ records: [ImportRecord]) async throws -> [UserKey: String] {
    let users = Set(
      records.compactMap { $0.report.user.value?.id }
        .map { UserKey(appID: order.app.id, id: $0) })
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

  /// Changes as they are written together.
  fileprivate struct Portion: Sendable {
    let changes: [Change]
    /// Chains that touch each other's installations or tokens, which are not among the changes: a
    /// token of one chain may be what an installation of another gives up.
    let entangled: [Chain]
    var rows = BinaryRows()
    let transitions: Int
    let hasNew: Bool
    let hasKnown: Bool
    let entries: [LedgerEntry]
    let events: (ofTokens: [TokenEvent], ofInstallations: [InstallationEvent])

    init(_ decided: [Change], isDryRun: Bool) {
      var touches: [InstallationKey: Int] = [:]
      var moves: [OwnedToken: Int] = [:]
      for key in decided.flatMap(\.keys) { touches[key, default: 0] += 1 }
      for entry in decided.flatMap(\.ledgerEntries) { moves[entry.token, default: 0] += 1 }
      func isEntangled(_ change: Change) -> Bool {
        change.keys.contains { touches[$0, default: 0] > 1 }
          || change.ledgerEntries.contains { moves[$0.token, default: 0] > 1 }
      }
      changes = decided.filter { !isEntangled($0) }
      entangled = decided.filter(isEntangled).map(\.chain)
      let transitions = isDryRun ? [] : changes.flatMap(\.transitions)
      for transition in transitions {
        guard let after = transition.after else { continue }
        rows.append(after, isNew: transition.before == nil)
      }
      self.transitions = transitions.count
      hasNew = transitions.contains { $0.before == nil }
      hasKnown = transitions.contains { $0.before != nil }
      entries = changes.flatMap(\.ledgerEntries)
      events = transitions.events
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
    if written.count < portion.transitions || tokens.count < entries.count {
      throw Lost(
        indexes: Set(
          changes.indices.filter { index in
            !written.isSuperset(of: changes[index].keys)
              || !tokens.isSuperset(of: changes[index].ledgerEntries.map(\.token))
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
