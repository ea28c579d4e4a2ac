/// The bounds of telemetry, each with its reason.
enum Limits {
  /// Bytes of log lines that wait for the log's reader, and as many may be on their way to it: some
  /// 4,000 lines, a second of a service that refuses thousands of calls. A reader that is further
  /// behind has stalled.
  static let waitingLogBytes = 1 << 20
  /// Bytes of a text in a log line: an error of the database with its statement. A longer text was
  /// made to fill the log.
  static let logTextBytes = 1024
  /// How long the end of the process waits for the log's reader: a reader takes a megabyte in
  /// milliseconds, and a supervisor waits ten seconds.
  static let lastLinesMilliseconds = 1000
  /// How often a record that repeats is counted: seldom enough for a log of days, and soon enough
  /// for an operator who looks whether it goes on.
  static let repetitionNanoseconds: UInt64 = 60_000_000_000
  /// Runs of one event that are told apart. A service has few causes at a time; more come from
  /// texts that somebody varies.
  static let runsOfAnEvent = 16
}
