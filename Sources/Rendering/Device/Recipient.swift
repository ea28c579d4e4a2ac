/// The environments of APNs.
public enum PushEnvironment: String, Sendable, Hashable, CaseIterable, Codable {
  /// `api.push.apple.com`.
  case production
  /// `api.sandbox.push.apple.com`.
  case sandbox
}

/// Where a notification goes.
public struct Recipient: Sendable, Hashable {
  /// The installation's id, a UUID.
  public var installationID: String
  /// The device token, lowercase hexadecimal.
  public var token: String
  /// Where the token is valid.
  public var environment: PushEnvironment

  /// A recipient.
  public init(
    installationID: String, token: String, environment: PushEnvironment = .production
  ) {
    self.installationID = installationID
    self.token = token
    self.environment = environment
  }
}
