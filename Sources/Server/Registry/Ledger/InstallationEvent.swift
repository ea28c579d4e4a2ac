package import Postgres

/// Something that happened to an installation beside its tokens: a row of `app_history`.
///
/// Every change of an installation has an event: of one of its tokens, of a token that another
/// installation took from it, or one of these.
package struct InstallationEvent: Sendable, Hashable {
  /// What happened.
  package enum Name: String, Sendable, CaseIterable {
    /// It is there now, without a token.
    case created
    /// What is known of it changed, and none of its tokens.
    case updated
    case deleted
    /// It is gone with its person, and all that was known of it.
    case erased
  }

  package var installation: InstallationKey
  package var name: Name
  package var source: TokenEvent.Source
  package var at: Timestamp
  /// Why it is gone.
  package var reason: String?
}

extension Transition {
  /// What happened to the installation beside the events of its tokens.
  ///
  ///     new, without a token            created
  ///     new, with a token               none: its token is registered
  ///     another locale                  updated
  ///     another locale and token        none: its token is rotated
  ///     lost its token to another       none: the token is moved
  ///     deleted, with or without one    deleted
  func installationEvent(beside events: [TokenEvent]) -> InstallationEvent? {
    guard let key else { return nil }
    func event(_ name: InstallationEvent.Name, reason: String? = nil) -> InstallationEvent {
      InstallationEvent(
        installation: key, name: name, source: cause.source, at: at, reason: reason)
    }
    guard after != nil else {
      return event(
        cause.removal == TokenEvent.Cause.erasure ? .erased : .deleted, reason: cause.removal)
    }
    guard events.isEmpty, cause.movedAway.isEmpty else { return nil }
    return event(before == nil ? .created : .updated)
  }
}

extension [Transition] {
  /// All that happened, in order.
  package var events: (ofTokens: [TokenEvent], ofInstallations: [InstallationEvent]) {
    var all: (ofTokens: [TokenEvent], ofInstallations: [InstallationEvent]) = ([], [])
    for transition in self {
      let events = transition.events
      all.ofTokens += events
      if let event = transition.installationEvent(beside: events) {
        all.ofInstallations.append(event)
      }
    }
    return all
  }
}

/// Writes events of installations. It comes after the events of tokens: all writers lock tables in
/// one order.
package struct InsertInstallationEvents: Statement {
  package static let sql = """
    INSERT INTO app_history (app_id, installation_id, at, event, source, reason)
    SELECT * FROM unnest(
      $1::int4[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[])
    """
  package let events: [InstallationEvent]

  package func bind(to parameters: inout Parameters) {
    parameters.append(column: events.map(\.installation.appID))
    parameters.append(column: events.map(\.installation.id.uuid))
    parameters.append(column: events.map(\.at))
    parameters.append(column: events.map(\.name.rawValue))
    parameters.append(column: events.map(\.source.rawValue))
    parameters.append(column: events.map(\.reason))
  }
}
