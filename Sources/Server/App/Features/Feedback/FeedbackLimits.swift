extension Limits {
  /// The body of such a call: 1 KiB for each answer, four times the usual size of an answer.
  static let feedbackBodyBytes = 1024 * 1024
  /// The longest reason of APNs has 27 bytes. The reason is kept with the token.
  static let feedbackReasonBytes = 128
  /// An error that gorush reports may be the text of a failed connection.
  static let feedbackErrorBytes = 4096
  /// The least number that counts as a time in milliseconds, which is in 1973. A smaller number is
  /// a time in seconds: such times get to this number in the year 5138.
  static let leastMilliseconds: Int64 = 100_000_000_000
  /// Tokens of a call that are settled at once: what one transaction takes.
  static let feedbackTasks = 256
  /// How long refused tokens are counted together: a mistaken environment shows within seconds.
  static let breakerWindow: Duration = .seconds(60)
  /// Refused tokens that make a burst: more than the few of a test device or of a restored backup,
  /// and so few that one transaction undoes them.
  static let breakerTokens = 20
  /// The share of refused tokens in all results that makes a burst, in percent. When tokens are
  /// refused one by one, the share is far below one in a hundred.
  static let breakerPercent = 10
  /// Refused tokens that a breaker remembers. Beyond it, with a great sender, the oldest are
  /// forgotten, and stay out of use if the breaker opens.
  static let breakerMemory = 1000
  /// How long bursts are believed after an admin closed the breaker: the time of the clean-up for
  /// which the admin closed it.
  static let breakerTrust: Duration = .seconds(3600)
  /// How long an open breaker is believed to be open without asking the database: a burst then
  /// costs one transaction a second.
  static let breakerStateLifetime: Duration = .seconds(1)
}
