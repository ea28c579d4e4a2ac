package import Postgres

/// A change of one installation: the state that it was decided from, and the state after it.
///
/// The two states decide what is written: the row, if it still has the revision that was read; the
/// tokens that change hands, in the ledger; and the events that explain it.
package struct Transition: Sendable {
  /// The state that was read; `nil` when the installation is new.
  package var before: Installation?
  /// The state to write, of the next revision; `nil` deletes the installation.
  package var after: Installation?
  /// The time of the change, by the database's clock.
  package var at: Timestamp
  package var cause: TokenEvent.Cause

  /// A new state in the place of an old one.
  package init(
    from before: Installation?, to after: Installation, at: Timestamp, _ cause: TokenEvent.Cause
  ) {
    self.before = before
    self.after = after
    self.at = at
    self.cause = cause
  }

  /// The end of an installation.
  package init(deleting before: Installation, at: Timestamp, _ cause: TokenEvent.Cause) {
    self.before = before
    self.at = at
    self.cause = cause
  }

  /// The installation; one of the states is there.
  package var key: InstallationKey? {
    (after ?? before)?.key
  }

  package var events: [TokenEvent] { TokenEvent.events(from: before, to: after, at: at, cause) }

  /// What changes in the ledger: tokens that it takes, and tokens of its own that it gives up.
  package var ledgerEntries: [LedgerEntry] {
    guard let key else { return [] }
    let (held, wanted) = (before?.tokenKeys ?? [], after?.tokenKeys ?? [])
    let taken = wanted.filter { !held.contains($0) }.map { token in
      var entry = LedgerEntry(
        token: OwnedToken(appID: key.appID, key: token), owner: key.id, registeredAt: at)
      if let owner = cause.owners[token], owner.id != key.id {
        entry.previousOwner = owner.id
        entry.takeovers = owner.takeovers(by: before, key.id, at: at, cause.source)
      }
      return entry
    }
    let givenUp = held.filter { !wanted.contains($0) && !cause.movedAway.contains($0) }.map {
      LedgerEntry(
        token: OwnedToken(appID: key.appID, key: $0), previousOwner: key.id, registeredAt: at)
    }
    return taken + givenUp
  }

  /// How many more events a deletion will write after this change than before it: one for the
  /// installation, and one for each token. Example: a new installation with one token has 2, a
  /// deletion of it -2.
  var reservedEndEvents: Int {
    func ends(_ state: Installation?) -> Int { state.map { 1 + $0.tokenKeys.count } ?? 0 }
    return ends(after) - ends(before)
  }

  /// Bytes of the words that the index of the filters gets for it, and did not have for it before.
  /// The index keeps a word forever (PostgreSQL's README of GIN: "vacuum never deletes tuples or
  /// pages from the entry tree").
  var newWordBytes: Int {
    let known = Set(before?.facets ?? [])
    return (after?.facets ?? []).reduce(0) { sum, facet in
      known.contains(facet) ? sum : sum + facet.text.utf8.count
    }
  }

  /// Whether it has a build or version that it did not have before. If there is no catalog of that
  /// build, the feed of changes says so.
  var namesBuild: Bool {
    guard let after else { return false }
    let names = (after.appBuild, after.appVersion)
    return names != (nil, nil) && names != (before?.appBuild, before?.appVersion)
  }
}

extension Installation {
  /// The state after a change, with the next revision. `updated_at` never goes back: a call that
  /// was outrun may be older than the last change, or come to a machine whose clock is slow.
  package func revised(at now: Timestamp, _ change: (inout Installation) -> Void) -> Installation {
    var next = self
    change(&next)
    next.revision = nextRevision
    next.updatedAt = max(now, updatedAt)
    return next
  }

  /// Takes over the values of an installation that it continues, where it has none itself.
  mutating func inherit(_ former: Installation) {
    if userID == nil { languageOverride = former.languageOverride }
    ProfileField.forEach { $0.inherit(former, &self) }
  }

  /// Forgets its person, and what was noted of them.
  mutating func leavePerson() {
    userID = nil
    languageOverride = nil
    tags = []
    attributes = nil
  }

  /// The state without some of its tokens.
  package func losing(_ tokens: some Collection<TokenKey>, at now: Timestamp) -> Installation {
    revised(at: now) { next in
      next.credentials.removeAll { tokens.contains($1.key(as: $0.kind)) }
    }
  }
}
