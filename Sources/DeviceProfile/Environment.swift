/// The environments of APNs: a token is valid in one of them (the `aps-environment` entitlement).
public enum Environment: String, Sendable, Hashable, CaseIterable {
  /// `api.push.apple.com`.
  case production
  /// `api.sandbox.push.apple.com`.
  case sandbox
}
