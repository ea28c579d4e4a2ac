extension Limits {
  /// Endpoints of an app: a handful of systems want to know.
  static let webhooks: Int64 = 10
  /// The longest address: what servers take.
  static let webhookURLBytes = 2048
  /// Bytes of a secret, as the specification allows. A secret that the service makes has 32, as
  /// long as the code that it makes.
  static let webhookSecretBytes = 24...64
  /// How long the earlier secret still signs, unless the caller says otherwise: a day for a
  /// rollout.
  static let webhookOverlapSeconds: Int32 = 86_400
  /// The longest time that an earlier secret may still sign: a week. Anything longer is no
  /// rotation.
  static let webhookOverlapMaximumSeconds: Int32 = 604_800
  /// Deliveries of an endpoint that are begun and not over: 150 kB of memory. The feed keeps the
  /// others, however many.
  static let webhookWindow = 256
  /// Changes of an endpoint that are read at a time, when there is room for so many.
  static let webhookPortion = 128
  /// Attempts under way at an endpoint that takes deliveries: with 50 ms each 160 a second.
  static let webhookAttemptsAtOnce = 8
  /// Of these, attempts at endpoints that do not answer or are new: so a dead endpoint takes no
  /// place from a live one.
  static let webhookDoubtfulTransfers = 24
  /// Seconds for an attempt, as the specification proposes (15 to 30).
  static let webhookAttemptSeconds = 20
  /// Seconds of an attempt until there is a connection.
  static let webhookConnectSeconds = 10
  /// The longest rest that a receiver may ask for: as long as the longest delay.
  static let webhookRest: Duration = .seconds(86_400)
  /// Pause between two looks at the feed: a delivery goes out within a fraction of a second, and
  /// the looks cost the database a thousandth of a processor.
  static let webhookPauseNanoseconds: UInt64 = 200_000_000
  /// Pause between two looks whether there are endpoints, or whether the lease of another instance
  /// is at its end. After an instance was killed, nothing is delivered for this time and the time
  /// of the lease.
  static let webhookIdleNanoseconds: UInt64 = 3_000_000_000
  /// Pause between two measures of the changes that webhooks are yet to get: as often as metrics
  /// are read.
  static let webhookMeasureNanoseconds: UInt64 = 10_000_000_000
  /// How long an endpoint whose app does nothing keeps its time of reading: retention is a month
  /// at least.
  static let webhookReadAge: Duration = .seconds(3600)
  /// Deliveries of an endpoint that are kept when they are over, of each outcome: enough to see
  /// what happened.
  static let webhookHistory: Int64 = 500
  /// Deliveries that end between two cuts of the history.
  static let webhookHistorySlack = 250
  /// How long attempts that are under way may take when the service stops.
  static let webhookStopNanoseconds: UInt64 = 5_000_000_000
}
