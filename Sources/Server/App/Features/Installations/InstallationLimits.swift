extension Limits {
  /// An installation report: 50 languages, 60 tags and 4 KiB of attributes fit three times over.
  static let installationBodyBytes = 64 * 1024

  /// Values in both parts of a user token: a handful of claims, with lists.
  static let userTokenValues = 256
  /// Seconds by which the clocks of a backend and this server may differ (RFC 7519 allows minutes).
  static let userTokenLeewaySeconds = 60.0

  /// A ten-year-old installation is stale for everyone.
  static let staleDays = 1...3650
}
