/// Every bound of what is stored of installations, with its reason. Text lengths are bytes of
/// UTF-8.
package enum RegistryLimits {
  // MARK: Installation

  /// Fewer bytes are no token; Apple's tokens have 32 bytes, simulators' 80.
  static let deviceTokenMinimumBytes = 16
  /// Apple announced up to 100 bytes; the rest is room, and still an index key.
  package static let deviceTokenMaximumBytes = 512
  /// Tokens of a kind that has one for each activity, control or session. The system lets an app
  /// have a handful of activities at a time.
  static let namedCredentials = 32
  /// An activity's id, an attributes type, a control's kind: a few dozen bytes as a rule.
  package static let credentialNameBytes = 256
  /// The configured widgets as JSON: an entry has a kind, a family and a configuration.
  static let widgetsBytes = 4096
  /// A Live Activity is at most eight hours active and four more on the lock screen (Apple,
  /// "Displaying live data with Live Activities"). Its token is not used for longer.
  package static let activityLifetime: Duration = .seconds(12 * 60 * 60)
  /// After about ten starts by push in short time the system starts no more, and APNs answers 200
  /// all the same (Apple's staff in its developer forum). We tell of a start that may be too many.
  static let activityStarts = 10
  /// "Short time" is not defined.
  static let activityStartsWindow: Duration = .seconds(60 * 60)
  /// The iOS settings list ends far below; the matcher's time grows with it.
  package static let languages = 50
  /// The longest tag seen is half of it; ICU keeps 157.
  package static let languageTagBytes = 58
  /// A locale identifier with its keywords.
  package static let localeBytes = 64
  /// The longest IANA name has 32.
  package static let timeZoneBytes = 64
  /// App version, build, OS version, device model.
  package static let versionBytes = 64
  /// As those of apps; Apple gives no length.
  package static let bundleIDBytes = 155
  /// What an app can declare about itself; a handful are known.
  package static let capabilities = 32
  package static let capabilityBytes = 64
  /// Enough for a device's topics; every export carries them.
  package static let tags = 60
  package static let tagBytes = 128
  /// Attributes are for addressing, not a data store.
  package static let attributes = 64
  package static let attributeNameBytes = 128
  /// An attribute that installations are found by, name and value: index keys are short. An
  /// attribute with a longer text is kept, and no filter finds it.
  package static let attributeFacetBytes = 256
  /// All attributes as JSON text; a row should stay within a few hundred bytes.
  static let attributesBytes = 4096
  /// An e-mail address or a composite id; it is an index key.
  package static let userIDBytes = 256
  /// A signed identity (JWT, HS256) with a few claims.
  static let userTokenBytes = 4096
  /// Takeovers of one token by apps within a day: a person who tries out builds installs some; a
  /// thief needs one for each launch of the victim.
  static let takeoversPerDay: Int16 = 10
  /// Installations that may come back for a token: more than can take it within a day. The first
  /// ones are kept, so no thief can drive the owner out of the list.
  static let formerOwners = 16
  /// How long a claim code is good: the backend makes it in the person's session and hands it over
  /// there, and a phone without a network has a day to use it.
  static let claimCodeLifetime: Duration = .seconds(24 * 60 * 60)
  /// Installations of a person that are changed together: one round of the commit queue.
  static let userPortion = 256
  /// Portions of one call: 262,144 devices. Beyond, others keep adding them, or it is no person.
  static let userPortions = 1024

  /// Random bytes of the first revision of an installation. If one is deleted and made anew with
  /// the same time of creation, the two have the same bytes once in a trillion times.
  package static let revisionBytes = 5
  /// Revisions that each random beginning has room for: more changes than an installation sees in
  /// years. With ``revisionBytes`` the numbers stay far below the end of a `bigint`.
  static let changesPerInstallation: Int64 = 1 << 20

  // MARK: Lists

  /// Rows of a page at most; larger wishes stream.
  package static let pageMaximum = 1000
  /// Digits a token search needs at least, so that it selects a few.
  package static let tokenPrefixDigits = 8
  /// Filters within each other: filters that people put together by hand end at three or four, and
  /// the SQL of this many is far from the bound of the server's stack.
  package static let filterDepth = 8
  /// Values that a filter compares: each is a look into the index, a few microseconds.
  package static let filterValues = 1024
  /// A filter in a query string: half of the line that a request may have.
  package static let filterBytes = 4096
  /// Nodes that cover a range of numbers where all rows may be read: narrow ranges have a few.
  package static let coverOfAll = 32
  /// Installations that a first walk looks at for each row of a page: one or two milliseconds for a
  /// page of fifty. If the filter lets one of a hundred through, the walk finds fifteen.
  static let walkedPerRow = 30
  /// A first walk goes on if it found a fifth of the page.
  static let longWalk = 5
  /// If the walk found less than a fifth, but a tenth at least, it goes on if the planner expects
  /// at least as many rows to gather as the walk needs steps. From a fifth on the planner is not
  /// asked: for ranges of numbers it expects too few rows.
  static let tooLongWalk = 10
  /// Lists that a page is merged from at most: each is found by itself.
  static let mergedBranches = 4

  // MARK: Loads

  /// Requests that wait for an installation to be read, per loop.
  static let waitingLoads = 8192
  /// Installations of one statement.
  static let loadsPerRound = 256
  /// Statements under way per loop: one is answered while the next gathers.
  static let loadRounds = 2

  /// The pace of the read rounds of registrations: 2 ms. At 3,000 registrations a second, half of
  /// what two processors take, a round then has six registrations. Each registration costs 340 µs
  /// of processor time in place of 510, and takes no longer: without the pace it would wait for the
  /// processors instead.
  static let registrationPace = LoadPace(interval: 2_000_000, enough: 12)
  /// With fewer registrations under way at the leader, other loops bring theirs to it. At full load
  /// each loop has more registrations of its own than that, and one transaction at a time for all
  /// of them would leave processors idle.
  static let gatheredRegistrations = 20

  /// The loops that have one leader among them (``Registrars``).
  static let loopsPerLeader = 4

  // MARK: Commits

  /// Registrations that wait to be written, per loop: half a second of work; more would be
  /// answered after their clients gave up.
  static let waitingChanges = 8192
  /// Registrations of one transaction: beyond it the gain per row is nothing and the wait grows.
  static let changesPerRound = 256
  /// Write rounds under way per loop. While a round commits, the changes of the next one are read,
  /// decided and gathered.
  static let commitRounds = 1
  /// How often a registration is decided before it gives up, when other writers are faster each
  /// time. If an attempt after the first one fails, another writer has succeeded.
  package static let registrationAttempts = 16

  // MARK: Times

  /// A report that changes nothing writes the times of the row, such as `last_seen_at`, only when
  /// one is this old: apps register at every launch, and a day's resolution answers "is it still in
  /// use".
  package static let rowTimeAge: Duration = .seconds(24 * 60 * 60)

  // MARK: Maintenance

  /// Stale installations decided on together: one transaction of the commit queue.
  static let stalePortion = changesPerRound
}
