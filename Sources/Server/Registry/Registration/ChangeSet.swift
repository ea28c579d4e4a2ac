/// What one decision writes; all of it or nothing.
package struct ChangeSet: Sendable {
  package var transitions: [Transition] = []
  /// At most one of an installation. If a newer one is known, nothing of this change set is
  /// written.
  package var sightings: [Sighting] = []
  /// Environments whose breaker of feedback must not be open.
  package var closedBreakers: [BreakerKey] = []
  /// The person whose device an installation becomes; their language is read again after the
  /// commit.
  var choice: ChosenLanguage?

  package init(transitions: [Transition] = [], sightings: [Sighting] = []) {
    self.transitions = transitions
    self.sightings = sightings
  }

  /// The writes of a decision: the installation, and the installations that lose tokens to it.
  /// - Parameters:
  ///   - basis: What the decision is based on.
  ///   - newUser: The person whose device the installation becomes.
  package init(
    _ decision: Registration.Decision, from basis: Registration.Basis, newUser: UserKey?
  ) {
    sightings = decision.sightings
    guard decision.writesRow else { return }
    transitions = [decision.transition]
    // The former holder is written, also one that had lost the token before it was read. If it
    // takes the token back before this commits, both want its next revision: this write is outrun.
    for id in decision.displaced.keys {
      guard let holder = basis.holders[id] else { continue }
      transitions.append(decision.loss(of: holder))
    }
    choice = newUser.map { ChosenLanguage(user: $0, language: basis.languageOverride) }
  }

  /// Takes over what a later change of the same installation writes beside its row. The two changes
  /// are written as one, with the state after the later one.
  package mutating func takeSightings(of later: ChangeSet) {
    choice = later.choice ?? choice
    guard let transition = transitions.first, transition.before != nil else { return }
    sightings = later.sightings.isEmpty ? sightings : later.sightings
    for index in sightings.indices { sightings[index].revision = transition.after?.revision ?? 0 }
  }

  var isEmpty: Bool { transitions.isEmpty && sightings.isEmpty }

  /// The installations whose rows are written.
  var rows: [InstallationKey] { transitions.compactMap(\.key) }

  /// The installations of which sightings are written.
  var sighted: [InstallationKey] { sightings.map(\.installation) }

  /// The sightings of an installation whose row is not written: it has to be as the report saw it.
  var seen: [Sighting] { transitions.isEmpty ? sightings : [] }

  package var isOfNewInstallation: Bool { transitions.contains { $0.before == nil } }

  /// Rows that count for the quota of an app: rows that are added now, and the events that a later
  /// deletion will add. They are counted ahead, so that deleting needs no quota.
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
        [ChangeSet(transitions: [transition])], ledgerEntries: transition.ledgerEntries
      ).addedRows
      let buildRows = transition.namesBuild ? 1 : 0
      return sum + max(0, written + buildRows + transition.reservedEndEvents)
    }
  }

  /// Bytes of words that are new in the index of the filters. Example: a report of a thousand bytes
  /// of numbers adds twenty thousand.
  package var newWordBytes: Int { transitions.reduce(0) { $0 + $1.newWordBytes } }

  /// Whether it deletes. Deletions go in rounds of their own: so all rounds lock rows in one order.
  var isDeletion: Bool { transitions.contains { $0.after == nil } }
}

/// How the writing of a ``ChangeSet`` ended.
enum CommitResult: Sendable {
  /// Another writer was faster, and nothing was written.
  case outrun
  case written
  /// It is committed, and the person of its ``ChangeSet/choice`` may have another language by now.
  case languageChanged
}
