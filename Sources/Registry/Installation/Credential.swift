package import DeviceProfile
package import Postgres

/// What a token is for. A new kind is a case here, a place in ``PerKind``, and its columns.
package enum CredentialKind: String, Sendable, CaseIterable {
  /// Alerts, background and the other pushes to the app's own topic.
  case apns
  /// PushKit calls.
  case voip
}

/// Whether a token may be used.
package enum CredentialStatus: String, Sendable, CaseIterable {
  /// Usable. Leads to `quarantined` or `invalid` by the sender's feedback.
  case active
  /// Refused once as `BadDeviceToken`, and not used. It becomes `active` when the app registers it
  /// again, or when a breaker opens within a minute; a 410 makes it `invalid`.
  case quarantined
  /// Gone, and not used. It becomes `active` when the app registers it again. After
  /// `DeviceTokenNotForTopic` a breaker that opens within a minute does that, too.
  case invalid
}

/// One token of an installation and what is known about it.
package struct Credential: Hashable, Sendable {
  /// The token.
  package var token: DeviceToken
  /// Whether it may be used.
  package var status: CredentialStatus
  /// When the app last brought it as new, revived or moved.
  package var registeredAt: Timestamp
  /// When the app last brought it at all. A 410 from before that says nothing about it. In the row
  /// it may be a day old; ``Registrar/loadWithSightings(appID:id:)`` makes it exact.
  package var presentedAt: Timestamp
  /// When feedback took it out of use; also of a quarantine.
  package var invalidatedAt: Timestamp?
  /// APNs' reason for that.
  package var reason: String?

  package init(
    token: DeviceToken, status: CredentialStatus, registeredAt: Timestamp, presentedAt: Timestamp,
    invalidatedAt: Timestamp? = nil, reason: String? = nil
  ) {
    self.token = token
    self.status = status
    self.registeredAt = registeredAt
    self.presentedAt = presentedAt
    self.invalidatedAt = invalidatedAt
    self.reason = reason
  }

  /// A token fresh from the app.
  package static func active(_ token: DeviceToken, at now: Timestamp) -> Self {
    Self(token: token, status: .active, registeredAt: now, presentedAt: now)
  }
}

/// One optional value for each kind of credential.
package struct PerKind<Value> {
  package var apns: Value?
  package var voip: Value?

  package init(apns: Value? = nil, voip: Value? = nil) {
    self.apns = apns
    self.voip = voip
  }

  /// The value of a kind.
  package subscript(kind: CredentialKind) -> Value? {
    get {
      switch kind {
      case .apns: apns
      case .voip: voip
      }
    }
    set {
      switch kind {
      case .apns: apns = newValue
      case .voip: voip = newValue
      }
    }
  }
}

extension PerKind: Sendable where Value: Sendable {}
extension PerKind: Equatable where Value: Equatable {}
extension PerKind: Hashable where Value: Hashable {}

/// What makes a token unique within an app: the key of `token_owner`.
package struct TokenKey: Hashable, Sendable {
  /// Where it is valid.
  package var environment: Environment
  /// What it is for.
  package var kind: CredentialKind
  /// The token.
  package var token: DeviceToken

  package init(environment: Environment, kind: CredentialKind, token: DeviceToken) {
    self.environment = environment
    self.kind = kind
    self.token = token
  }
}
