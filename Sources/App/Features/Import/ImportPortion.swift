import Postgres
import Registry

extension ImportWriter {
  /// Records of one installation with the same tokens, by their places in the batch.
  typealias Chain = [Int]

  /// The changes of a chain: all of them or none.
  struct Change {
    var chain: Chain
    var outcomes: [Outcome]
    var transitions: [Transition]
    /// What they must not be older than.
    var claims: [SightingClaim]
    var ledgerEntries: [LedgerEntry]
    /// The languages of the persons whom its records name, as they were read.
    var languages: [UserKey: String?]
    /// What a rejection of its records depends on: itself and the owners of its tokens.
    var conditions: [InstallationKey]

    /// The installations that it changes.
    var keys: [InstallationKey] { transitions.compactMap(\.key) }

    func note(in all: inout [Outcome]) {
      for (index, outcome) in zip(chain, outcomes) { all[index] = outcome }
    }
  }

  /// Changes as they are written together.
  struct Portion: Sendable {
    let changes: [Change]
    /// Chains that touch each other's installations or tokens, which are not among the changes: a
    /// token of one chain may be what an installation of another gives up, also of one that is
    /// rejected as long as it does not.
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
      let conditions = Set(decided.flatMap(\.conditions))
      for entry in decided.flatMap(\.ledgerEntries) { moves[entry.token, default: 0] += 1 }
      func isEntangled(_ change: Change) -> Bool {
        change.keys.contains { touches[$0, default: 0] > 1 || conditions.contains($0) }
          || change.conditions.contains { touches[$0] != nil }
          || change.ledgerEntries.contains { moves[$0.token, default: 0] > 1 }
      }
      changes = decided.filter { !$0.transitions.isEmpty && !isEntangled($0) }
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
}
