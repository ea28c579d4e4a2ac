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
  /// Where it is valid.
  package var environment: Environment
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
  /// When the app first brought a token for the place, if that was earlier: a Live Activity does
  /// not begin anew when the system gives it another token.
  package var beganAt: Timestamp?
  package var details = CredentialDetails()

  /// Why the token of a Live Activity is out of use for which an `end` was rendered.
  package static let endReason = "activity_ended"

  package init(
    token: DeviceToken, environment: Environment, status: CredentialStatus,
    registeredAt: Timestamp, presentedAt: Timestamp, invalidatedAt: Timestamp? = nil,
    reason: String? = nil
  ) {
    self.token = token
    self.environment = environment
    self.status = status
    self.registeredAt = registeredAt
    self.presentedAt = presentedAt
    self.invalidatedAt = invalidatedAt
    self.reason = reason
  }

  /// The ledger key of its token.
  package func key(as kind: CredentialKind) -> TokenKey {
    TokenKey(environment: environment, kind: kind, token: token)
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
  package static func active(
    _ token: DeviceToken, in environment: Environment, at now: Timestamp
  ) -> Self {
    Self(
      token: token, environment: environment, status: .active, registeredAt: now, presentedAt: now)
  }
}

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
