import EventLoop
import JSON
import Postgres
import Registry

/// Decides on batches of the records of an import, and lets the registrar write the changes.
///
/// A batch is decided while the batch before it is written. The decision assumes that the batch
/// before is written. If another writer was faster, the unwritten records of both batches are
/// decided again.
struct ImportWriter: Sendable {
  private let context: LoopContext
  private let order: ImportOrder
  private let workShare: WorkShare
  private let memory: ImportMemory

  init(_ order: ImportOrder, _ context: LoopContext, _ workShare: WorkShare) {
    self.order = order
    self.context = context
    self.workShare = workShare
    // A batch meets the one that is written meanwhile; one of a dry run, all before it.
    memory = ImportMemory(generationSize: order.isDryRun ? Limits.dryRunInstallations : 0)
  }

  /// Decides on records in their order; nothing is written.
  func decide(_ records: [ImportRecord]) async throws -> ImportBatch {
    let ids = Set(records.map(\.id))
    var stored = try await load(ids)
    memory.overlay(&stored, ids)
    let (tokens, users) = try await onThread { [stored] in
      let tokens = records.flatMap {
        Registration.newTokenKeys(stored: stored[$0.id], report: $0.report)
      }
      let users =
        records.compactMap { $0.report.user.value?.id } + stored.values.compactMap(\.userID)
      return (Set(tokens), Set(users.map { UserKey(appID: order.app.id, id: $0) }))
    }
    var owners = try await loadOwners(tokens)
    memory.overlay(&owners, tokens)
    let holders = Set(owners.values.map(\.id)).subtracting(ids)
    stored.merge(try await load(holders)) { $1 }
    memory.overlay(&stored, holders)
    let languages = try await loadLanguages(users)
    let before = ImportBatch(
      stored, owners: owners, languages: languages, of: order.app,
      at: context.shared.clock().wholeMilliseconds)
    return try await onThread { [shared = context.shared, memory] in
      var batch = before
      for record in records { batch.add(record, firstRevision: shared.firstRevision) }
      memory.note(batch)
      return batch
    }
  }

  /// Writes the changes of a batch, unless this is a dry run.
  /// - Returns: The result for each record; `nil` for records that must be decided again
  ///   (``settle(_:_:)``). If one change of the batch was not written, that goes for all records
  ///   without a written change: they may have been decided by it.
  func write(_ batch: ImportBatch) async throws -> [RecordResult?] {
    var results: [RecordResult?] = batch.results
    guard !order.isDryRun else { return results }
    let endings = try await withThrowingTaskGroup(of: ([Int], Ending).self) { group in
      for change in batch.changes {
        group.addTask { (change.places, try await write(change.content)) }
      }
      var endings: [Int: Ending] = [:]
      for try await (places, ending) in group { for place in places { endings[place] = ending } }
      return endings
    }
    guard endings.values.contains(where: { $0 != .written }) else { return results }
    for place in results.indices {
      switch endings[place] {
      case .written: break
      case .refused:
        results[place] = .rejected([
          ImportFault.notStorable.problem("The database does not take this record.")
        ])
      case .outrun, nil: results[place] = nil
      }
    }
    return results
  }

  /// Decides on records again and writes them, until no other writer is faster. Nothing else may be
  /// decided meanwhile.
  /// - Parameter results: The results of the first attempt.
  func settle(
    _ records: [ImportRecord], _ results: [RecordResult?]
  ) async throws -> [RecordResult] {
    var results = results
    for _ in 1..<RegistryLimits.registrationAttempts {
      let open = results.indices.filter { results[$0] == nil }
      if open.isEmpty { break }
      memory.clear()
      let again = try await write(decide(open.map { records[$0] }))
      for (place, result) in zip(open, again) { results[place] = result }
    }
    memory.clear()
    return results.map {
      $0
        ?? .rejected([
          ImportFault.outrun.problem("Others keep changing this installation or its tokens.")
        ])
    }
  }

  private enum Ending { case written, outrun, refused }

  private func write(_ change: ChangeSet) async throws -> Ending {
    do {
      return try await context.registrar.write(imported: change) ? .written : .outrun
    } catch let error as PostgresError
      where error.isOfOneRow && !error.isOfMissingApp && !error.isOfMovingApp
    {
      // All records are of one app. If the app is gone or moves, no record is at fault.
      return .refused
    }
  }

  /// Runs work that needs no database on a thread.
  private func onThread<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value
  ) async throws -> Value {
    try await context.shared.workers.requests.run(isUnderWay: true, for: workShare, work)
  }

  private func load(
    _ ids: Set<InstallationID>
  ) async throws -> [InstallationID: Installation] {
    guard !ids.isEmpty else { return [:] }
    let keys = ids.map { InstallationKey(appID: order.app.id, id: $0) }
    let stored = try await context.registrar.loadWithSightings(keys)
    return Dictionary(stored.map { ($0.id, $0) }) { $1 }
  }

  private func loadOwners(_ keys: Set<TokenKey>) async throws -> [TokenKey: TokenOwner] {
    guard !keys.isEmpty else { return [:] }
    let tokens = keys.map { OwnedToken(appID: order.app.id, key: $0) }
    let owners = try await context.database.read(LoadTokenOwners(tokens: tokens))
    return Dictionary(owners.map { ($0.token.key, $0.owner) }) { $1 }
  }

  private func loadLanguages(_ users: Set<UserKey>) async throws -> [UserKey: String] {
    guard !users.isEmpty else { return [:] }
    let languages = try await context.database.read(LoadUserLanguages(keys: Array(users)))
    return Dictionary(languages.map { ($0.user, $0.language) }) { $1 }
  }
}
