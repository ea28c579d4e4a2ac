import DeviceProfile
package import Postgres

/// Something that happened to a token: a row of `token_history`.
///
/// The events of a change are the differences between the state before and the state after it, so
/// every write of an installation is explained. The last event of a token says where it is: with
/// `replaced` and `removed` it belongs to no one, with the others to the event's installation.
package struct TokenEvent: Sendable, Hashable {
  /// What happened.
  package enum Name: String, PostgresValue, CaseIterable {
    /// A token that no one had came to an installation that had none of its kind.
    case registered
    /// A token that no one had came in the place of an earlier one.
    case rotated
    /// The installation has a newer token and gave this one up.
    case replaced
    /// It was another installation's until now.
    case moved
    /// It was quarantined or invalid, and the app brought it again.
    case revived
    /// Feedback took it out of use until the app registers it again, or its Live Activity ended.
    case invalidated
    /// Feedback took it out of use until it is clear what is wrong: `BadDeviceToken`, or 410 for a
    /// token of the kind `location`.
    case quarantined
    /// A breaker opened, and put it back in use: the feedback was a sender's mistake.
    case restored
    /// It was given up: the credential or the installation was deleted, or its environment changed.
    case removed
  }

  /// Who caused it.
  package enum Source: String, PostgresValue, CaseIterable {
    /// A client key.
    case app
    /// A sender, admin or root key.
    case backend
    case `import`
    /// What APNs told a sender.
    case feedback
    /// The service's own tidying.
    case maintenance
  }

  /// The owner of the token after the event, or until the event.
  package var installation: InstallationKey
  package var token: TokenKey
  package var name: Name
  package var source: Source
  package var at: Timestamp
  /// APNs' reason, or why it moved or was removed.
  package var reason: String?
  /// The owner before, when the token moved.
  package var from: InstallationID?
}

extension TokenEvent {
  /// What the states before and after a change do not show: who made it, why, and between whom
  /// tokens move.
  package struct Cause: Sendable, Hashable {
    /// Why the erasure of a person removed tokens.
    static let erasure = "user_erased"
    /// Why a token moved from an installation that no app had claimed.
    static let continuation = "continued"

    package var source: Source
    /// Why tokens were removed: `credential_deleted`.
    package var removal: String?
    /// The owners from whom tokens that are new to the installation were taken.
    package var owners: [TokenKey: TokenOwner] = [:]
    /// The owners that the installation continues.
    package var continued: Set<InstallationID> = []
    /// Tokens that went to another installation, whose event tells of it.
    package var movedAway: Set<TokenKey> = []

    package init(
      _ source: Source, removal: String? = nil, owners: [TokenKey: TokenOwner] = [:],
      continued: Set<InstallationID> = [], movedAway: Set<TokenKey> = []
    ) {
      self.source = source
      self.removal = removal
      self.owners = owners
      self.continued = continued
      self.movedAway = movedAway
    }
  }

  /// What happened to the tokens of an installation between two states of it; `nil` stands for
  /// the time before it was there, or after.
  package static func events(
    from before: Installation?, to after: Installation?, at: Timestamp, _ cause: Cause
  ) -> [TokenEvent] {
    guard let some = after ?? before else { return [] }
    let installation = InstallationKey(appID: some.appID, id: some.id)
    var events: [TokenEvent] = []
    func add(_ name: Name, _ token: TokenKey, reason: String? = nil, from: InstallationID? = nil) {
      events.append(
        TokenEvent(
          installation: installation, token: token, name: name, source: cause.source, at: at,
          reason: reason, from: from))
    }
    func addStatus(_ token: TokenKey, of credential: Credential?, formerly: CredentialStatus?) {
      guard let credential, credential.status != formerly else { return }
      switch credential.status {
      case .invalid: add(.invalidated, token, reason: credential.reason)
      case .quarantined: add(.quarantined, token, reason: credential.reason)
      case .active: add(cause.source == .feedback ? .restored : .revived, token)
      }
    }
    let earlier = before?.credentials.places ?? []
    let added = after?.credentials.places.filter { !earlier.contains($0) } ?? []
    // Two controls may have the same token: it comes with the first of them and goes with the last.
    let (held, wanted) = (before?.tokenKeys ?? [], after?.tokenKeys ?? [])
    var told: Set<TokenKey> = []
    func isToldOf(_ token: TokenKey) -> Bool { !told.insert(token).inserted }
    for place in added.isEmpty ? earlier : (earlier + added).sorted() {
      var (old, new) = (before?.tokenKey(at: place), after?.tokenKey(at: place))
      let credential = after?.credentials[place]
      if let old, old == new {
        if isToldOf(old) { continue }
        addStatus(old, of: credential, formerly: before?.credentials[place]?.status)
        continue
      }
      let isReplaced = old != nil && new != nil && old?.environment == new?.environment
      if let key = old, wanted.contains(key) || isToldOf(key) { old = nil }
      if let key = new, held.contains(key) || isToldOf(key) { new = nil }
      if let old, !cause.movedAway.contains(old) {
        if isReplaced {
          add(.replaced, old)
        } else {
          add(.removed, old, reason: new == nil ? cause.removal : "environment_changed")
        }
      }
      if let new {
        let owner = cause.owners[new].flatMap { $0.id == installation.id ? nil : $0.id }
        let isContinued = owner.map(cause.continued.contains) ?? false
        add(
          owner != nil ? .moved : isReplaced ? .rotated : .registered, new,
          reason: isContinued ? Cause.continuation : nil, from: owner)
        // An import may bring a token that is out of use.
        addStatus(new, of: credential, formerly: .active)
      }
    }
    return events
  }
}
