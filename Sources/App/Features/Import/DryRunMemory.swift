import Registry
import Synchronization

/// What a dry run would have written, as far as later records may meet it.
///
/// It remembers the last installations in two generations; a record that repeats the id or token of
/// one that is further back than both is counted as if that one were not there.
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
