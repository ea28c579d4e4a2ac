extension Limits {
  /// Changes that a stream reads at a time: 80 KB of lines.
  static let changesPerRead = 256
  /// Streams of an instance that go on and on: each is a connection for days, and a team has a
  /// handful of backends.
  static let changeFollowers = 64
  /// Pause between two looks at the feed for streams that follow it. With this pause a change is
  /// told within a blink, and the looks cost the database a hundredth of a processor.
  static let changePauseNanoseconds: UInt64 = 20_000_000
  /// How long a stream says nothing: proxies take a silent stream for dead after half a minute or a
  /// minute.
  static let changeSilenceNanoseconds: UInt64 = 15_000_000_000
}
