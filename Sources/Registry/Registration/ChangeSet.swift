/// What one decision writes; all of it or nothing.
package struct ChangeSet: Sendable {
  package var transitions: [Transition] = []
  /// Times of reports and of APNs' answers. If newer ones are known, nothing of this is written.
  /// One of an installation at most.
  package var times: [InstallationTimes] = []
  /// Environments whose breaker of feedback must not be open.
  package var closedBreakers: [BreakerKey] = []
  /// The person whose device an installation becomes; their language is read again after the
  /// commit.
  var choice: ChosenLanguage?

  package init(transitions: [Transition] = [], times: [InstallationTimes] = []) {
    self.transitions = transitions
    self.times = times
  }

  /// What a decision writes: the installation, and those that lose tokens to it.
  /// - Parameters:
  ///   - basis: What it was decided from.
  ///   - newcomer: The person whose device the installation becomes.
  package init(
    _ decision: Registration.Decision, from basis: Registration.Basis, newcomer: UserKey?
  ) {
    times = decision.times
    guard decision.writesRow else { return }
    transitions = [decision.transition]
    // The former holder is written even if it no longer had the token when it was read. If it takes
    // the token back before this commits, both want its next revision, and this write is outrun.
    for id in decision.displaced.keys {
      guard let holder = basis.holders[id] else { continue }
      transitions.append(decision.loss(of: holder))
    }
    choice = newcomer.map { ChosenLanguage(user: $0, language: basis.languageOverride) }
  }

  /// Takes what a later change of the same installation writes beside its row: the two are written
  /// as one, with the state after the later one.
  package mutating func takeTimes(of later: ChangeSet) {
    choice = later.choice ?? choice
    guard let transition = transitions.first, transition.before != nil else { return }
    times = later.times.isEmpty ? times : later.times
    for index in times.indices { times[index].revision = transition.after?.revision ?? 0 }
  }

  /// Whether there is nothing to write.
  var isEmpty: Bool { transitions.isEmpty && times.isEmpty }

  /// The installations whose rows are written.
  var rows: [InstallationKey] { transitions.compactMap(\.key) }

  /// The installations of which times are written.
  var timed: [InstallationKey] { times.map(\.installation) }

  /// Whether an installation is new.
  package var isOfNewInstallation: Bool { transitions.contains { $0.before == nil } }

  /// Rows that count for the quota of an app: those that are added now, and the events that a later
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
  /// It is committed.
  case written
  /// It is committed, and the person of its ``ChangeSet/choice`` may have another language by now.
  case languageChanged
}
