import Registry
import Synchronization

/// Changes by records of an import that later records may meet before they are stored: the batches
/// under way, or, in a dry run, all changes that would have been written.
///
/// The memory holds the last installations only. If a record of a dry run repeats the id or token
/// of a forgotten installation, it is counted as if that installation were not there.
final class ImportMemory: Sendable {
  private struct Generation {
    var installations: [InstallationID: Installation] = [:]
    /// The owners of tokens; `nil` for tokens that were given up.
    var owners: [TokenKey: TokenOwner?] = [:]
  }
  private let generations = Mutex((recent: Generation(), older: Generation()))
  private let generationSize: Int

  /// - Parameter generationSize: The number of installations in a generation. When a generation is
  ///   full, a new one begins, and only the full one before it is kept. With 0 each batch is a
  ///   generation: the last two are kept.
  init(generationSize: Int) { self.generationSize = generationSize }

  func note(_ batch: ImportBatch) {
    generations.withLock { generations in
      if generations.recent.installations.count >= generationSize {
        generations = (Generation(), generations.recent)
      }
      for transition in batch.changes.flatMap(\.content.transitions) {
        guard let after = transition.after else { continue }
        generations.recent.installations[after.id] = after
        for entry in transition.ledgerEntries {
          generations.recent.owners[entry.token.key] = .some(entry.nextOwner)
        }
      }
    }
  }

  func clear() {
    generations.withLock { $0 = (Generation(), Generation()) }
  }

  /// Replaces stored installations by installations that are about to be stored.
  func overlay(_ found: inout [InstallationID: Installation], _ ids: some Sequence<InstallationID>)
  {
    generations.withLock { generations in
      for id in ids {
        let noted = generations.recent.installations[id] ?? generations.older.installations[id]
        if let noted { found[id] = noted }
      }
    }
  }

  /// Replaces stored owners of tokens by owners that are about to be stored.
  func overlay(_ owners: inout [TokenKey: TokenOwner], _ keys: some Sequence<TokenKey>) {
    generations.withLock { generations in
      for key in keys {
        let noted = generations.recent.owners[key] ?? generations.older.owners[key]
        if let noted { owners[key] = noted }
      }
    }
  }
}
