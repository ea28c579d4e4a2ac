import Postgres

/// What a token is for. A new kind is a case here, a place in ``PerKind``, and its columns.
enum CredentialKind: String, Sendable, CaseIterable, Codable {
  /// Alerts, background and the other pushes to the app's own topic.
  case apns
  /// PushKit calls.
  case voip
}

/// Whether a token may be used.
enum CredentialStatus: String, Sendable, CaseIterable, Codable {
  /// Usable. Leads to `quarantined` or `invalid` by the sender's feedback.
  case active
  /// Refused once as `BadDeviceToken`: not used until the app registers it again (→ `active`) or
  /// feedback settles it (→ `invalid`).
  case quarantined
  /// Gone. Only a new registration makes it `active` again.
  case invalid
}

/// One token of an installation and what is known about it.
struct Credential: Hashable, Sendable {
  /// The token.
  var token: DeviceToken
  /// Whether it may be used.
  var status: CredentialStatus
  /// When the app last brought it as new, revived or moved.
  var registeredAt: Timestamp
  /// When the app last brought it at all, to a day: a 410 from before that says nothing about it.
  var presentedAt: Timestamp
  /// When feedback took it out of use.
  var invalidatedAt: Timestamp?
  /// APNs' reason for that.
  var reason: String?

  /// A token fresh from the app.
  static func active(_ token: DeviceToken, at now: Timestamp) -> Self {
    Self(token: token, status: .active, registeredAt: now, presentedAt: now)
  }
}

/// One optional value for each kind of credential.
struct PerKind<Value> {
  var apns: Value?
  var voip: Value?

  /// The value of a kind.
  subscript(kind: CredentialKind) -> Value? {
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
struct TokenKey: Hashable, Sendable {
  /// Where it is valid.
  var environment: Environment
  /// What it is for.
  var kind: CredentialKind
  /// The token.
  var token: DeviceToken
}
