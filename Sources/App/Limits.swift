internal import CatalogFormats
internal import EventLoop

/// Every bound of the service beside those of the registry and of the content, with its reason.
/// Text lengths are bytes of UTF-8.
enum Limits {
  // MARK: Bodies

  /// An installation report: 50 languages, 60 tags and 4 KiB of attributes fit three times over.
  static let installationBodyBytes = 64 * 1024
  /// A failure report: one error message and a few short fields.
  static let failureBodyBytes = 16 * 1024
  /// A small administrative body: an app, a key, a question to render.
  static let administrationBodyBytes = 256 * 1024
  /// A message to store: three texts of 200 bytes in a hundred languages.
  static let messageBodyBytes = 64 * 1024
  /// A catalog upload, as those who send one know.
  static let catalogBodyBytes = UploadLimits.bodyBytes

  /// A rendering: ten thousand recipients of 400 bytes each; more are lines.
  static let renderBodyBytes = 4 * 1024 * 1024

  // MARK: Names

  /// A name or label that people read.
  static let labelBytes = 128
  /// Localizations of one bundle that a match is asked for; the largest apps have about 120.
  static let matchedLocalizations = 500
  /// Those that a client key asks for: what one app has.
  static let matchedByClient = 128
  /// Each of them: a file's name, which need not be a language.
  static let matchedTagBytes = 255
  /// Keys of an app that are in use, and root keys: one for each backend, tool and person of a
  /// large team. All are in memory, and each change of one reads all.
  static let keys: Int64 = 100
  /// Between two times that are written as the last use of a key: whoever looks for a key that
  /// nobody uses any more thinks in days, and a write for each call would cost more than the call.
  static let keyUseMicroseconds: Int64 = 3_600_000_000
  /// Revoked ones that are kept to be shown, the latest; the audit log knows of the others.
  static let revokedKeys: Int64 = 100
  /// Bundle ids of an app beside its own: a watch app, a Mac Catalyst app, a clip, a few brands.
  static let bundleIDs = 32
  /// Types of Live Activities that an app describes, and bytes of all descriptions as JSON: an app
  /// has a handful.
  static let activityTypes = 64
  static let activityTypesBytes = 32 * 1024
  /// Secrets that users are signed with: one in use, and the next.
  static let identitySecrets = 2
  /// As long as the code that it makes (RFC 7518, section 3.2).
  static let identitySecretMinimumBytes = 32
  /// Beyond 64 bytes HMAC-SHA256 gains nothing.
  static let identitySecretMaximumBytes = 256
  /// Public keys that users are signed for: one in use and the next, of two issuers.
  static let identityKeys = 4
  /// An RSA key of 8192 bits as PEM has 1500; so has its modulus in a JWK.
  static let identityKeyBytes = 2048
  /// How far ahead a proof of a user may end, unless the app says so: who has a copy of one is that
  /// user for as long, and apps that are in use ask their backend more often than once a month.
  static let identityLifetimeDaysDefault: Int32 = 30
  /// Ten years, longer than any device is used: what ends later is in milliseconds, or was meant to
  /// have no end.
  static let identityLifetimeDays: Int32 = 3650
  /// Ten years: longer is never.
  static let staleAfterDays: Int32 = 3650
  /// The largest `apns-expiration` that is read: the year 9999.
  static let expirationSeconds: Int64 = 253_402_300_799
  /// Bytes of the files of catalogs that one rendering keeps to itself: a dozen large builds. Those
  /// beyond may be replaced under its eyes.
  static let pinnedCatalogBytes = 64 << 20

  /// Apps that a line of the log names: enough to know where to begin.
  static let loggedApps = 20

  // MARK: Installation

  /// Values in both parts of it: a handful of claims, with lists.
  static let userTokenValues = 256
  /// Seconds by which the clocks of a backend and this server may differ (RFC 7519 allows minutes).
  static let userTokenLeewaySeconds = 60.0

  // MARK: Users

  /// Installations of a person that one look shows, the last seen: hardly anyone has as many. All
  /// are in the list by `user`.
  static let userInstallations = 50
  /// Events of their tokens that one look shows.
  static let userEvents = 50

  // MARK: Failures

  /// An NSError domain.
  static let errorDomainBytes = 256
  /// The localized text of an error; longer text is cut by nobody but left out.
  static let errorMessageBytes = 4096
  /// Failures of a kind that make a burst: token by token, an app has a few a day.
  static let failureBurst: Int64 = 20
  /// Among so many newest failures of any kind they are looked for.
  static let failuresLookedAt: Int64 = 1_000
  /// The time in which they are counted together.
  static let failureBurstWindow: Duration = .seconds(600)
  /// How long a burst is not told again.
  static let failureBurstRest: Duration = .seconds(3600)

  // MARK: Feedback

  /// Answers of APNs in one call: what a sender meets in a second, and ten transactions.
  static let feedbackItems = 1000
  /// Their body: 1 KiB each, four times what one usually has.
  static let feedbackBodyBytes = 1024 * 1024
  /// APNs' longest reason has 27; it is kept with the token.
  static let feedbackReasonBytes = 128
  /// What gorush reports as an error may be the text of a failed connection.
  static let feedbackErrorBytes = 4096
  /// Below it, in 1973, a time in milliseconds is one in seconds, which gets there in 5138.
  static let leastMilliseconds: Int64 = 100_000_000_000
  /// Tokens of a call that are settled at once: what one transaction takes.
  static let feedbackTasks = 256
  /// How long refused tokens are counted together: a mistaken environment shows within seconds.
  static let breakerWindow: Duration = .seconds(60)
  /// Refused tokens that make a burst: more than a test device's or a restored backup's few, and so
  /// few that undoing them is one transaction.
  static let breakerTokens = 20
  /// The share of refused tokens in all results that makes a burst, in percent: token by token, far
  /// less than one in a hundred is refused.
  static let breakerPercent = 10
  /// Refused tokens that a breaker remembers. Beyond it, with a great sender, the oldest are
  /// forgotten, and stay out of use if the breaker opens.
  static let breakerMemory = 1000
  /// How long no token may be refused before the breaker closes: longer than a sender's retries.
  static let breakerRest: Duration = .seconds(600)
  /// How long bursts are believed after an admin closed the breaker: the cleaning up it was for.
  static let breakerTrust: Duration = .seconds(3600)
  /// How long an open breaker is believed to be open without asking the database: a burst then
  /// costs one transaction a second.
  static let breakerStateLifetime: Duration = .seconds(1)

  // MARK: Descriptors

  /// Descriptors of a loop: its epoll set, its wake-up, its listening socket.
  static let descriptorsPerLoop = 3
  /// Descriptors of the process beside its loops: the standard three, the listener of notices, the
  /// connections of maintenance and of an app's deletion, the files, pipes and lock of an embedded
  /// cluster, the two of webhooks, what the resolver of names opens, and as much again.
  static let reservedDescriptors = 98
  /// One in so many at most goes to attempts of webhooks.
  static let descriptorsPerWebhookTransfer = 20

  // MARK: Lists

  /// Rows of a page when the caller does not say.
  static let pageDefault = 50
  /// Days that stats show when the caller does not say.
  static let statsDaysDefault = 30
  /// Days that stats show at most: a year, and the same day of the year before.
  static let statsDays = 366
  /// How old an answer with counts may be that is taken from memory: a day, as its charts have.
  static let countedAge = 86_400
  /// Catalogs of an app, the newest, whose coverage is counted ahead: those that people look at.
  static let countedCatalogs = 5
  /// Bytes of such answers in memory: those of a thousand apps.
  static let countedAnswerBytes = 32 << 20
  /// Values of a dimension that stats name; a chart has room for fewer.
  static let statsValues = 50

  // MARK: Audit

  /// Calls of admins that wait for their audit entry, per loop: as many as wait for anything.
  static let waitingAuditEntries = 8192
  /// Entries of one statement.
  static let auditEntriesPerRound = 256
  /// Statements under way per loop: one commits while the next gathers.
  static let auditRounds = 2
  /// What an entry keeps of the names in a path: the longest, a user's id, has 256.
  static let auditNameBytes = 300

  /// How long what goes on where a recorded export ended is not recorded again.
  static let exportContinues: Duration = .seconds(3600)

  // MARK: Rendering

  /// Installations or users that an audience lists: as many as the statement takes in a few
  /// milliseconds.
  static let listedAudience = 6000
  /// Devices of a named audience that are read at once; more are streamed.
  static let fewDevices = 256
  /// Tokens of a line of groups: what a sender takes at a time.
  static let groupTokens = 1000
  /// Bytes of tokens that wait for their lines to be full, some 67 each: 80 payloads can wait for
  /// theirs, and with more, or with longer tokens, the fullest goes as it is.
  static let waitingTokenBytes = 80 * groupTokens * 67
  /// Bytes of different traits of an audience that are remembered: some 20,000. Of an app that
  /// anyone can register with, one device's may have five thousand bytes.
  static let rememberedTraitBytes = 4 << 20
  /// Different circumstances of devices that are remembered: more than lines, as those that are
  /// skipped are among them.
  static let rememberedCircumstances = 4096
  /// Bytes of lines that are remembered, about: some 2,000 of usual messages. Of real audiences
  /// there are as many as languages, or with dates as languages in time zones.
  static let rememberedLineBytes = 4 << 20
  /// Plans of a loop: a backend sends a few messages at a time.
  static let renderPlans = 8
  /// Bytes of the lines of a plan, about: 1,000 of usual messages.
  static let planLineBytes = 2 << 20
  /// Bytes of the traits that they are for: some 7,000.
  static let planTraitBytes = 1 << 20
  /// How long a plan lasts: it holds on to catalogs that others may have forgotten.
  static let renderPlanSeconds: Int64 = 60
  /// How long traits are read before others of the loop have their turn: those of a portion may all
  /// be different.
  static let renderTurnNanoseconds: UInt64 = 1_000_000
  /// Lines of one piece that are made on the loop: one with long arguments may take
  /// milliseconds, and a thread costs some 30 µs.
  static let linesMadeOnLoop = 8

  /// Recipients of a JSON body: what a backend has at hand; more are lines.
  static let recipients = 10_000
  /// Bytes of a recipient's line: every argument as long as a payload takes, many times over.
  static let recipientLineBytes = 64 * 1024
  /// Recipients that are read, looked up and rendered together: a millisecond of each, and nothing
  /// to gain from more.
  static let recipientsPerPiece = 512
  /// Pieces whose devices are looked up while one is rendered: two statements are under way then,
  /// and none of the database waits for the program to read rows.
  static let recipientPiecesAhead = 2
  /// Bytes of lines that are taken together.
  static let recipientPieceBytes = 64 * 1024
  /// Installations whose Live Activities are ended together: what one transaction takes.
  static let endedTogether = 256
  /// Devices of a recipient: a person has a handful, and an audience is asked for with `to`.
  static let recipientDevices = 256
  /// Devices of recipients that are in memory together, about: 1 MiB of rows.
  static let recipientRows = 2048

  // MARK: Audiences

  /// Time zones of an audience that are told apart, the most frequent: the IANA data has 600 names.
  /// Devices in others count as those that do not say where they are.
  static let localTimeZones = 1000
  /// Days for which clocks are asked, in seconds: from 1970, to a year that leaves the instant four
  /// digits in every time zone.
  static let localTimeDays: ClosedRange<Int64> = 0...253_370_764_800

  // MARK: Messages

  /// Messages of an app: people keep them.
  static let messages: Int64 = 1000
  /// Messages of a page at most, each with its body: a few megabytes.
  static let messagesPage = 100
  /// App builds, the newest, whose catalogs a message is compared with.
  static let checkedCatalogs = 10
  /// Warnings about a message that are told.
  static let messageWarnings = 200

  // MARK: Channels

  /// Channels of an app: Apple has as many for each of its environments.
  static let channels: Int64 = 10_000
  /// A channel, or its id: a few short fields.
  static let channelBodyBytes = 16 * 1024
  /// Bytes of the id that APNs gives a channel: it has some dozen.
  static let channelIDBytes = 256

  // MARK: Catalogs

  /// Catalogs of a page at most: each may have a thousand diagnostics, 200 KB.
  static let catalogsPage = 50
  /// Keys that an upload names as gone, like the diagnostics of one.
  static let removedKeys = 1000
  /// How often an upload is read anew because another one of the same catalog was faster: so many
  /// clients would have to send at the same time.
  static let catalogAttempts = 100
  /// Bytes of files that go to the database at a time, but for one file of any size: a third of a
  /// millisecond.
  static let storedPortionBytes = 256 * 1024

  // MARK: Coverage

  /// Missing keys of a language that its coverage names: a translator's next hour, not the file.
  static let coverageKeys = 100
  /// Messages that a coverage names because a key of theirs has no text.
  static let coverageMessages = 100
  /// Languages without a localization that a coverage names, the most wanted first.
  static let coverageUnserved = 100
  /// Languages without a localization that are counted: as many as ISO 639-3 has.
  /// Devices can name others without end.
  static let coverageCounted = 8192
  /// How long the database may take to count the languages of an app: several millions of rows.
  static let coverageTimeoutMilliseconds = 60_000

  // MARK: Work apart from loops

  /// A JSON body up to this is read on the loop: what apps and backends send all the time, and a
  /// third of a millisecond. A longer one goes to a thread, which costs some 30 µs.
  static let loopBodyBytes = 16 * 1024
  /// Reading of uploads. One at a time, and what waits are two of the largest, eight of the size
  /// that apps have, or many small ones: more would wait for longer than clients do.
  static let uploadWork = WorkerThreads.Bounds(threads: 1, waiting: 64, waitingBytes: 64 << 20)
  /// Everything else: two threads, so that one large catalog does not hold up the rest; what waits
  /// are bodies of 16 KiB to 1 MiB, and stored catalogs.
  static let requestWork = WorkerThreads.Bounds(threads: 2, waiting: 1024, waitingBytes: 64 << 20)
  /// Seconds until one whose work was refused tries again: what waits is read by then.
  static let workRetrySeconds = 5

  // MARK: Streams

  /// Bytes that a streamed answer collects before it writes them: few calls, little to hold.
  static let linesPieceBytes = 65_536
  /// Entries of a catalog that a streamed answer takes at a time.
  static let stringsPerPortion = 256

  // MARK: Changes

  /// Changes that a stream reads at a time: 80 KB of lines.
  static let changesPerRead = 256
  /// Streams of an instance that go on and on: each is a connection for days, and a team has a
  /// handful of backends.
  static let changeFollowers = 64
  /// Pause between two looks for those who follow: with it a change is told within a blink, and to
  /// look costs the database a hundredth of a processor.
  static let changePauseNanoseconds: UInt64 = 20_000_000
  /// How long a stream says nothing: proxies take one for dead after half a minute or a minute.
  static let changeSilenceNanoseconds: UInt64 = 15_000_000_000
  /// How much later by the clock an earlier change may have happened: transactions take seconds,
  /// and clocks of instances differ by less than this.
  static let changeDisorder: Duration = .seconds(3600)
  /// Lives of the database that readers can go on from: its last so many starts.
  static let changeLives: Int64 = 1000

  // MARK: Webhooks

  /// By how much the time of the database may go back without having been set: answers only bound
  /// it.
  static let clockDisorder: Duration = .seconds(1)

  /// Endpoints of an app: a handful of systems want to know.
  static let webhooks: Int64 = 10
  /// The longest address: what servers take.
  static let webhookURLBytes = 2048
  /// As the specification allows; one of ours has 32, as long as the code that it makes.
  static let webhookSecretBytes = 24...64
  /// How long the secret before signs, too, unless the caller says otherwise: a day for a rollout.
  static let webhookOverlapSeconds: Int32 = 86_400
  /// How long it may at most: a week, and then it is no rotation.
  static let webhookOverlapMaximumSeconds: Int32 = 604_800
  /// Deliveries of an endpoint that are begun and not over: 150 kB of memory. The feed keeps the
  /// others, however many.
  static let webhookWindow = 256
  /// Changes of an endpoint that are read at a time, when there is room for so many.
  static let webhookPortion = 128
  /// Attempts under way at an endpoint that takes deliveries: with 50 ms each 160 a second.
  static let webhookAttemptsAtOnce = 8
  /// Attempts under way of an instance: some 100 kB each, and a descriptor.
  static let webhookTransfers = 48
  /// Of them those at endpoints that do not answer, or are new: so one that is dead takes no place
  /// from one that is not.
  static let webhookDoubtfulTransfers = 24
  /// Seconds for an attempt, as the specification proposes (15 to 30).
  static let webhookAttemptSeconds = 20
  /// Seconds of them until there is a connection.
  static let webhookConnectSeconds = 10
  /// The longest rest that a receiver may ask for: as long as the longest delay.
  static let webhookRest: Duration = .seconds(86_400)
  /// Between two looks at the feed: a delivery goes out within a fraction of a second, and to look
  /// costs the database a thousandth of a processor.
  static let webhookPauseNanoseconds: UInt64 = 200_000_000
  /// Between two looks whether there are endpoints, or whether the lease of another instance is at
  /// its end: with the time of the lease so long nothing is delivered when an instance was killed.
  static let webhookIdleNanoseconds: UInt64 = 3_000_000_000
  /// Between two measures of what webhooks are yet to get: as often as metrics are read.
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

  // MARK: Imports

  /// Records that are decided and written together: more gain nothing per row and hold the loop for
  /// longer.
  static let importBatch = 256
  /// Installations in each of two generations that a dry run remembers: some 100 MB at most.
  static let dryRunInstallations = 32_768
  /// Why a token is out of use: a reason of APNs', or another service's word.
  static let reasonBytes = 128

  // MARK: Times

  /// How long the database may take for a call: below a second a busy one gets nothing done, and
  /// beyond a minute no client waits.
  static let databaseTimeoutSeconds = 1...60

  /// How long requests under way may take once the service is told to end: those who deploy wait
  /// for a long export rather than for ever.
  static let drainSeconds = 1...600

  /// How long a probe waits for the database: those who probe usually give up after a second.
  static let readinessNanoseconds: UInt64 = 800_000_000

  /// Seconds that `postilion doctor` waits for a program of this machine: one that hangs has had
  /// enough of them.
  static let doctorSeconds = 3
  /// Bytes of its answer: ours are a few lines.
  static let doctorAnswerBytes = 65_536
  /// Free bytes of a disk below which `postilion doctor` calls it full: PostgreSQL writes a
  /// gigabyte of log (`max_wal_size`) before it gives any of it back.
  static let leastRoomBytes: UInt64 = 1 << 30
  /// Percent of a disk below which `postilion doctor` says so: file systems slow down, and a worst
  /// day (docs/operations.md) may need more.
  static let scarceRoomPercent: UInt64 = 10
  /// How far two clocks may be apart: NTP keeps them within some milliseconds.
  static let clockDifferenceMicroseconds: Int64 = 1_000_000
  /// Sessions of an instance besides those of its loops: one that listens, one that tidies up the
  /// index of the filters, two for webhooks, two for maintenance, two while an app is deleted.
  static let sessionsBesides = 8
  /// The oldest PostgreSQL that serves, as `server_version_num` has it.
  static let leastServerVersion: Int32 = 140_000

  /// Between two looks whether the schema is as it should be: one takes the database 2 ms.
  static let lookIntervalNanoseconds: UInt64 = 10_000_000_000
  /// Parts of a schema, or servers of a cluster, that a sentence names; the rest is a number.
  static let namedSchemaFaults = 3

  /// How far a replica may be allowed to be behind: an hour is past any use.
  static let readLagSeconds = 1...3600
  /// How long a replica may take at the start to be looked at: one that says nothing holds it up.
  static let replicaStartNanoseconds: UInt64 = 3_000_000_000
  /// Between two comparisons of a replica with its primary.
  static let replicaPauseNanoseconds: UInt64 = 1_000_000_000
  /// Ends of the primary's log that are remembered: a minute's.
  static let replicaMarks = 60

  // MARK: Settings

  /// A file with one secret: an address of a database with all its options is a fraction of it.
  static let secretFileBytes = 16 * 1024

  // MARK: Maintenance

  /// Months that history, failures and audit log may be kept: a decade is past any use.
  static let retentionMonths = 1...120
  /// Rows of one deletion: a fraction of a second, and little for others to wait behind.
  static let purgePortion: Int64 = 5000
  /// A ten-year-old installation is stale for everyone.
  static let staleDays = 1...3650
  /// Tokens that no one has keep their row so long: the count of their takeovers is a day's, and a
  /// month answers where a token went.
  static let givenUpTokenDays = 30
  /// Codes by which apps claim installations keep their row so long: they are good for a day.
  static let claimCodeDays = 1
  /// Longest a month's rows may take to move into its partition, while registrations wait; what
  /// takes longer stays where it is.
  static let partitionStatementMilliseconds = 5000
  /// Attempts at a lock that readers keep; a backup may take longer, and the next run tries again.
  static let partitionAttempts = 12
  /// Pause between them, in which what waited is served.
  static let partitionPauseNanoseconds: UInt64 = 5_000_000_000
  /// Partitions are made two months ahead, so a day is often enough.
  static let maintenanceIntervalNanoseconds: UInt64 = 86_400_000_000_000
  /// After a run that could not do everything.
  static let maintenanceRetryNanoseconds: UInt64 = 3_600_000_000_000
  /// How often the registry is counted for the metrics: about as often as they are read.
  static let censusIntervalNanoseconds: UInt64 = 60_000_000_000
  /// The pause after a count is so many times what it took, so that it costs a hundredth at most;
  static let censusShare: UInt64 = 100
  /// but no longer than this.
  static let censusPauseNanoseconds: UInt64 = 3_600_000_000_000
  /// How long a count may take; nobody waits for it. A hundred million installations take some two
  /// minutes.
  static let censusMilliseconds = 1_800_000

  // MARK: Index of the filters

  /// How often GIN's pending list is merged into the index while it grows. At 3,000 registrations a
  /// second, what gathers in 200 ms takes 10 ms, for which no registration waits.
  static let filterIndexIntervalNanoseconds: UInt64 = 200_000_000
  /// How often it is looked at while nothing comes: in this time it fills by a fifth at most.
  static let filterIndexRestNanoseconds: UInt64 = 1_000_000_000

  // MARK: Summaries

  /// Groups of a summary of failures; the largest come first, and nobody reads on.
  static let failureGroups = 1000
}
