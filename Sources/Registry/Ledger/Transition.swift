package import Postgres

/// A change of one installation: the state that it was decided from, and the state after it.
///
/// What is written follows from the two: the row behind its revision, the tokens that change hands
/// in the ledger, and the events that explain it.
package struct Transition: Sendable {
  /// The state that was read; `nil` when the installation is new.
  package var before: Installation?
  /// The state to write, of the next revision; `nil` deletes the installation.
  package var after: Installation?
  /// The server's time of the change.
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

  /// What happened to its tokens.
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

  /// Events that are yet to come when what it leaves behind ends, without those that would have
  /// come before it: one of the installation, and one of each token.
  var endsAhead: Int {
    func ends(_ state: Installation?) -> Int { state.map { 1 + $0.tokenKeys.count } ?? 0 }
    return ends(after) - ends(before)
  }

  /// Bytes of the words by which it is found and was not before. The index of the filters keeps a
  /// word for good, whoever had it (PostgreSQL's README of GIN: "vacuum never deletes tuples or
  /// pages from the entry tree").
  var newWordBytes: Int {
    let known = Set(before?.facets ?? [])
    return (after?.facets ?? []).reduce(0) { sum, facet in
      known.contains(facet) ? sum : sum + facet.text.utf8.count
    }
  }

  /// Whether it names a build or version that it did not name before: if there is no catalog of it,
  /// the feed of changes tells of that.
  var namesBuild: Bool {
    guard let after else { return false }
    let names = (after.appBuild, after.appVersion)
    return names != (nil, nil) && names != (before?.appBuild, before?.appVersion)
  }
}

extension Installation {
  /// The state that a change of it leads to: the next revision. A call that was outrun may have
  /// arrived before the last change, or on a machine whose clock is behind: then its time stays.
  package func revised(at now: Timestamp, _ change: (inout Installation) -> Void) -> Installation {
    var next = self
    change(&next)
    next.revision = revision + 1
    next.updatedAt = max(now, updatedAt)
    return next
  }

  /// Takes over what is known of an installation that it continues, where nothing is known of it.
  mutating func inherit(_ former: Installation) {
    if userID == nil { languageOverride = former.languageOverride }
    ProfileField.forEach { $0.inherit(former, &self) }
  }

  /// Gives up whose it is, and what was noted of them.
  mutating func leavePerson() {
    userID = nil
    languageOverride = nil
    tags = []
    attributes = nil
  }

  /// The state without some of its tokens.
  package func losing(_ tokens: some Collection<TokenKey>, at now: Timestamp) -> Installation {
    revised(at: now) { next in
      for kind in CredentialKind.allCases where tokenKey(kind).map(tokens.contains) ?? false {
        next.credentials[kind] = nil
      }
    }
  }
}
