import Registry
import Synchronization

/// What records of an import have changed that later ones may meet before it is stored: the
/// batches that are under way, or, in a dry run, all that would have been written.
///
/// It remembers the last installations only. If a record of a dry run repeats the id or token of
/// one that was forgotten, it is counted as if that one were not there.
final class ImportMemory: Sendable {
  private struct Generation {
    var installations: [InstallationID: Installation] = [:]
    /// The owners of tokens; `nil` of those given up.
    var owners: [TokenKey: TokenOwner?] = [:]
  }
  private let generations = Mutex((recent: Generation(), older: Generation()))
  private let generationSize: Int

  /// - Parameter generationSize: How many installations it notes before it forgets those that it
  ///   had noted before as many others.
  init(generationSize: Int) { self.generationSize = generationSize }

  /// Notes the changes of a batch.
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

  /// Forgets all.
  func clear() {
    generations.withLock { $0 = (Generation(), Generation()) }
  }

  /// Puts what is to be stored in the place of what is.
  func overlay(_ found: inout [InstallationID: Installation], _ ids: some Sequence<InstallationID>)
  {
    generations.withLock { generations in
      for id in ids {
        let noted = generations.recent.installations[id] ?? generations.older.installations[id]
        if let noted { found[id] = noted }
      }
    }
  }

  /// Puts those who are to be the owners in the place of those who are.
  func overlay(_ owners: inout [TokenKey: TokenOwner], _ keys: some Sequence<TokenKey>) {
    generations.withLock { generations in
      for key in keys {
        let noted = generations.recent.owners[key] ?? generations.older.owners[key]
        if let noted { owners[key] = noted }
      }
    }
  }
}
