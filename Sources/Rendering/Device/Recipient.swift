public import DeviceProfile

/// Where a notification goes.
public struct Recipient: Sendable, Hashable {
  /// The installation's id, a UUID.
  public var installationID: String
  /// The device token, lowercase hexadecimal.
  public var token: String
  /// Where the token is valid.
  public var environment: Environment

  /// A recipient.
  public init(
    installationID: String, token: String, environment: Environment = .production
  ) {
    self.installationID = installationID
    self.token = token
    self.environment = environment
  }
}
