package import DeviceProfile
package import Postgres

extension CredentialKind {
  /// How many tokens of the kind an installation has at most.
  package var maximumCount: Int { nameCount == 0 ? 1 : RegistryLimits.namedCredentials }
}

/// Whether a token may be used.
package enum CredentialStatus: String, Sendable, CaseIterable {
  /// Usable. Leads to `quarantined` or `invalid` by the sender's feedback, or to `invalid` when the
  /// `end` of its Live Activity is rendered.
  case active
  /// Refused once as `BadDeviceToken`, or of the kind `location` with 410, and not used. It becomes
  /// `active` when the app registers it again. After `BadDeviceToken` a breaker that opens within a
  /// minute does that, too, and a 410 makes it `invalid`.
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
  /// When it went out of use; also of a quarantine.
  package var invalidatedAt: Timestamp?
  /// APNs' reason for that, or ``endReason``.
  package var reason: String?

  /// Why the token of a Live Activity is out of use for which an `end` was rendered.
  package static let endReason = "activity_ended"

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

  /// Takes it out of use.
  package mutating func takeOutOfUse(
    as status: CredentialStatus, reason: String, at now: Timestamp
  ) {
    self.status = status
    invalidatedAt = now
    self.reason = reason
  }

  /// A token fresh from the app.
  package static func active(_ token: DeviceToken, at now: Timestamp) -> Self {
    Self(token: token, status: .active, registeredAt: now, presentedAt: now)
  }
}

/// One optional value for each kind of ``CredentialKind/withColumns``.
package struct PerKind<Value> {
  package var apns: Value?
  package var voip: Value?

  package init(apns: Value? = nil, voip: Value? = nil) {
    self.apns = apns
    self.voip = voip
  }

  /// The value of a kind; `nil` for one without columns, whose value you may not set.
  package subscript(kind: CredentialKind) -> Value? {
    get {
      switch kind {
      case .apns: apns
      case .voip: voip
      default: nil
      }
    }
    set {
      switch kind {
      case .apns: apns = newValue
      case .voip: voip = newValue
      default: preconditionFailure("\(kind) has no columns")
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
