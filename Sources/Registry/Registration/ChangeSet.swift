/// What one decision writes; all of it or nothing.
package struct ChangeSet: Sendable {
  package var transitions: [Transition] = []
  package var touches: [Installation] = []
  /// What the transitions must not be older than, one of an installation at most.
  package var claims: [SightingRow] = []
  /// Environments whose breaker of feedback must not be open.
  package var closedBreakers: [BreakerKey] = []
  /// The person whose device an installation becomes, to be looked at behind the commit.
  var choice: ChosenLanguage?

  /// Changes of some installations, and others that were only called.
  package init(
    transitions: [Transition] = [], touches: [Installation] = [], claims: [SightingRow] = []
  ) {
    self.transitions = transitions
    self.touches = touches
    self.claims = claims
  }

  /// Whether there is nothing to write.
  var isEmpty: Bool { transitions.isEmpty && touches.isEmpty }

  package var keys: [InstallationKey] { transitions.compactMap(\.key) + touchedKeys }

  var touchedKeys: [InstallationKey] { touches.map(\.key) }

  /// Whether an installation is new.
  package var isOfNewInstallation: Bool { transitions.contains { $0.before == nil } }

  /// Rows that it adds to all tables, and those that the end of what it adds will add: the events
  /// that tell of a lost token and of a deleted installation. As they are counted ahead, an end
  /// counts nothing, and whoever may register may also leave.
  ///
  ///     registered with one token    1 installation + 1 ledger + 1 event + 2 ends + 1 build = 6
  ///     another locale               1 event = 1
  ///     another token                1 ledger + 2 events = 3
  ///     deleted                      2 events - 2 ends = 0
  ///
  /// A row of the ledger may be there already, so that less is added than is counted.
  package var addedRows: Int {
    transitions.reduce(0) { sum, transition in
      let written = RoundWrites(
        [ChangeSet(transitions: [transition])], ledgerEntries: transition.ledgerEntries,
        isDistributed: false
      ).addedRows
      let told = transition.namesBuild ? 1 : 0
      return sum + max(0, written + told + transition.endsAhead)
    }
  }

  /// Bytes of words that the index of the filters gets: a report of a thousand bytes with numbers
  /// has twenty thousand of them.
  package var newWordBytes: Int { transitions.reduce(0) { $0 + $1.newWordBytes } }

  /// Deletions go in rounds of their own, so that the rows of a round are locked in one order.
  var isDeletion: Bool { transitions.contains { $0.after == nil } }
}

/// How the writing of a ``ChangeSet`` ended.
enum CommitResult: Sendable {
  /// Another writer was faster, and nothing was written.
  case outrun
  /// It is committed.
  case written
  /// It is committed, and the language of its ``ChangeSet/choice`` may have been chosen anew.
  case overtaken
}
