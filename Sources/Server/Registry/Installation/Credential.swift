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
  /// Refused once as `BadDeviceToken`, or with 410 if its kind is `location`, and not used. It
  /// becomes `active` when the app registers it again. After `BadDeviceToken` a breaker that opens
  /// within a minute does that, too, and a 410 makes it `invalid`.
  case quarantined
  /// Gone, and not used. It becomes `active` when the app registers it again. After
  /// `DeviceTokenNotForTopic` a breaker that opens within a minute does that, too.
  case invalid
}

/// One token of an installation and what is known about it.
package struct Credential: Hashable, Sendable {
  package var token: DeviceToken
  /// Where it is valid.
  package var environment: Environment
  package var status: CredentialStatus
  /// When the app last brought it as new, revived or moved.
  package var registeredAt: Timestamp
  /// When the app last brought it at all. A 410 from before that says nothing about it. In the row
  /// it may be a day old; ``Registrar/loadWithSightings(appID:id:)`` makes it exact.
  package var presentedAt: Timestamp
  /// When it went out of use; also when it was quarantined.
  package var invalidatedAt: Timestamp?
  /// APNs' reason for that, or ``endReason``.
  package var reason: String?
  /// When the app first brought a token for the place, if that was earlier: a Live Activity does
  /// not begin anew when the system gives it another token.
  package var beganAt: Timestamp?
  package var details = CredentialDetails()

  /// The reason of a token that is out of use because an `end` of its Live Activity was rendered.
  package static let endReason = "activity_ended"

  /// The ledger key of its token.
  package func key(as kind: CredentialKind) -> TokenKey {
    TokenKey(environment: environment, kind: kind, token: token)
  }

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
  package var kind: CredentialKind
  package var token: DeviceToken

  package init(environment: Environment, kind: CredentialKind, token: DeviceToken) {
    self.environment = environment
    self.kind = kind
    self.token = token
  }
}
