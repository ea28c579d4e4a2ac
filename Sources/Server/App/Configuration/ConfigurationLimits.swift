extension Limits {
  /// How long the database may take for a call: below a second a busy one gets nothing done, and
  /// beyond a minute no client waits.
  static let databaseTimeoutSeconds = 1...60
  /// How long requests under way may take once the service is told to end: a deployment waits for a
  /// long export, but not for ever.
  static let drainSeconds = 1...600
  /// How far a replica may be allowed to be behind: an hour is past any use.
  static let readLagSeconds = 1...3600

  /// A file with one secret: an address of a database with all its options is a fraction of it.
  static let secretFileBytes = 16 * 1024
}
