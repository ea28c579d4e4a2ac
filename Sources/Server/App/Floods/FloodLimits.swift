/// The limits of one client, one key and one app: the settings that hold floods off. The defaults
/// are such that a normal app never meets them.
package struct FloodLimits: Sendable {
  /// Calls of an address with a client key, or with none. A carrier has thousands of phones behind
  /// one address, but not all of them at once.
  package var address = RateLimit("200/2000")
  /// Rows that an address adds to all tables. A new phone adds six or seven: a class of them is set
  /// up at once, and then three a second.
  package var addressGrowth = RateLimit("20/1000")
  /// Calls with one client key: all phones of an app. The limit is the crowd of a million people
  /// that open the app within the same minutes.
  package var key = RateLimit("5000/1000000")
  /// Rows that are added with one client key: 600,000 new phones at once on the day of a launch.
  /// When an app of ten million phones has a new version, each tells of it with two rows: five
  /// million at once, and 4.3 million a day.
  package var keyGrowth = RateLimit("50/5000000")
  /// Calls for one installation: an app has something to say at each launch.
  package var installation = RateLimit("2/1000")
  /// Installations of an app; some 20 GB.
  package var installations = 10_000_000
  /// Failures that devices of an app report in a day, by the clock of UTC.
  package var failuresPerDay = 1_000_000
  /// Bytes of the files of all catalogs of an app: hundreds of builds of a large app.
  package var catalogBytes = 4 << 30

  /// Time of a loop or a thread that counts as one more call; a registration takes a tenth of it.
  static let callNanoseconds: UInt64 = 1_000_000
  /// The number of buckets in debt that each limit tells apart at a time; 16 bytes each. The memory
  /// is the same whatever the number of addresses.
  static let places = 8192
  /// The part of a bucket that is kept for existing installations, as a divisor of the burst: when
  /// new installations and failures are turned away already, a known device can still report a new
  /// token.
  static let keptShare = 4
  /// Bytes that count as one more row: the bytes of the body, and of the words that the index of
  /// the filters gets. So the largest installations cannot fill a disk where rows are counted. A
  /// phone reports one or two thousand bytes, and has a few hundred bytes of words.
  static let growthBytes = 1024
  /// How many times a byte of an index word counts: with its place in the index it takes four bytes
  /// of disk.
  static let wordWeight = 2
  /// The seconds that a client is told to wait when a quota is used up: an hour, as only people can
  /// help.
  static let quotaRetrySeconds = 3600

  /// The defaults.
  package init() {}
}
