internal import EventLoop

extension Limits {
  /// Apps that a line of the log names: enough to know where to begin.
  static let loggedApps = 20

  /// Rows of a page when the caller does not say.
  static let pageDefault = 50
  /// The largest age of an answer with counts that comes from memory: a day, the unit of its
  /// charts.
  static let countedAge = 86_400
  /// Bytes of answers with counts in memory: the answers of a thousand apps.
  static let countedAnswerBytes = 32 << 20

  /// Calls of admins that wait for their audit entry, per loop: as many as wait for anything.
  static let waitingAuditEntries = 8192
  /// Entries of one statement.
  static let auditEntriesPerRound = 256
  /// Statements under way per loop: one commits while the next gathers.
  static let auditRounds = 2
  /// The bytes that an entry keeps of a name in a path: the longest name, a user's id, has 256.
  static let auditNameBytes = 300
  /// How long a call that continues a recorded export is not recorded again.
  static let exportContinues: Duration = .seconds(3600)

  /// A JSON body up to this is read on the loop: what apps and backends send all the time, and a
  /// third of a millisecond. A longer one goes to a thread, which costs some 30 µs.
  static let loopBodyBytes = 16 * 1024
  /// Reading of uploads. One is read at a time. Two of the largest uploads can wait, or eight of
  /// the size that apps have, or many small ones. With more, uploads would wait for longer than
  /// clients do.
  static let uploadWork = WorkerThreads.Bounds(threads: 1, waiting: 64, waitingBytes: 64 << 20)
  /// Everything else: two threads, so that one large catalog does not hold up the rest. Bodies of
  /// 16 KiB to 1 MiB and stored catalogs wait.
  static let requestWork = WorkerThreads.Bounds(threads: 2, waiting: 1024, waitingBytes: 64 << 20)

  /// Bytes that a streamed answer collects before it writes them: few calls, little to hold.
  static let linesPieceBytes = 65_536

  /// Lives of the database that readers can go on from: its last so many starts.
  static let changeLives: Int64 = 1000

  /// How long a probe waits for the database: callers of probes usually give up after a second.
  static let readinessNanoseconds: UInt64 = 800_000_000
  /// Parts of a schema, or servers of a cluster, that a sentence names; the rest is a number.
  static let namedSchemaFaults = 3
  /// How long a replica may take at the start to be looked at: a replica that says nothing delays
  /// the start.
  static let replicaStartNanoseconds: UInt64 = 3_000_000_000
  /// Pause between two comparisons of a replica with its primary.
  static let replicaPauseNanoseconds: UInt64 = 1_000_000_000
  /// Ends of the primary's log that are remembered: those of one minute.
  static let replicaMarks = 60
}
