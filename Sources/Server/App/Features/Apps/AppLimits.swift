extension Limits {
  /// Bundle ids of an app beside its own: a watch app, a Mac Catalyst app, a clip, a few brands.
  static let bundleIDs = 32
  /// Secrets that users are signed with: one in use, and the next.
  static let identitySecrets = 2
  /// A secret is at least as long as the code that it makes (RFC 7518, section 3.2).
  static let identitySecretMinimumBytes = 32
  /// Beyond 64 bytes HMAC-SHA256 gains nothing.
  static let identitySecretMaximumBytes = 256
  /// Public keys that users are signed for: one in use and the next, of two issuers.
  static let identityKeys = 4
  /// An RSA key of 8192 bits as PEM has 1500; so has its modulus in a JWK.
  static let identityKeyBytes = 2048
  /// Ten years, longer than any device is used. A proof with a later end has its time in
  /// milliseconds, or was meant to have no end.
  static let identityLifetimeDays: Int32 = 3650
  /// Ten years: longer is never.
  static let staleAfterDays: Int32 = 3650
}
