extension Limits {
  /// A failure report: one error message and a few short fields.
  static let failureBodyBytes = 16 * 1024

  /// An NSError domain.
  static let errorDomainBytes = 256
  /// The localized text of an error. Longer text is left out and not cut.
  static let errorMessageBytes = 4096
  /// Failures of a kind that make a burst. When tokens fail one by one, an app has a few failures a
  /// day.
  static let failureBurst: Int64 = 20
  /// The newest failures, of any kind, among which the failures of a burst are looked for.
  static let failuresLookedAt: Int64 = 1_000
  /// The time in which failures of a kind are counted together.
  static let failureBurstWindow: Duration = .seconds(600)
  /// How long a burst is not told again.
  static let failureBurstRest: Duration = .seconds(3600)

  /// Groups of a summary of failures; the largest come first, and nobody reads on.
  static let failureGroups = 1000
}
