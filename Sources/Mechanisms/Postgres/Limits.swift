/// The driver's bounds, each with its reason.
enum Limits {
  /// Statements that may wait for a connection per loop: at tens of thousands a second this is a
  /// fraction of a second of work; more would only be answered after its client gave up.
  static let waitingStatements = 4096
  /// The time between two looks for calls that have waited for too long: short enough that no call
  /// is told much later.
  static let sweepNanoseconds: UInt64 = 250_000_000
  /// Reads of different callers that go before one Sync: the server answers a segment with one
  /// system call, and a failure re-sends at most this many.
  static let readsPerSegment = 64
  /// Executions on one connection before its plans are made anew, at most: planning all statements
  /// takes about ten milliseconds, so this is far below one percent of the work.
  static let executionsPerPlan = 4096
  /// Segments under way on one connection: enough to keep the server busy during a round trip.
  static let segmentsPerConnection = 8
  /// How long a call may take where nobody says otherwise: people wait so long, and most proxies
  /// longer.
  static let answerNanoseconds: UInt64 = 5_000_000_000
  /// The same for work that nobody waits for, such as tidying: its statements may take longer.
  static let workAnswerNanoseconds: UInt64 = 20_000_000_000
  /// How long a server may be silent in a bulk transfer, beyond the time that its statement has.
  static let bulkSilenceNanoseconds: UInt64 = 5_000_000_000
  /// Longest time to connect and authenticate.
  static let connectNanoseconds: UInt64 = 10_000_000_000
  /// The same for each of several servers: the primary may be the next one, and a machine that is
  /// gone says nothing. Also for a listener, which looks for changes by itself between attempts.
  static let connectEachNanoseconds: UInt64 = 3_000_000_000
  /// How long a connection to a server that takes no changes is kept, where there is no other:
  /// reads are served in between, and we notice when the server takes changes again.
  static let readOnlyNanoseconds: UInt64 = 1_000_000_000
  /// The server's bound on a statement that counts a whole app: several millions of rows.
  static let longStatementTimeoutMilliseconds = 60_000
  /// Longest time in which a transaction may stand still, as of a process that hangs: its locks
  /// hold up others, who wait no longer than this either.
  static let idleTransactionMilliseconds = 5000
  /// How long a lease is good without being extended: so long nobody does its work when its holder
  /// was killed or is frozen.
  static let leaseNanoseconds: UInt64 = 6_000_000_000
  /// The pause between two extensions of a lease: some may fail.
  static let leaseBeatNanoseconds: UInt64 = 1_500_000_000
  /// The pause between two questions of a listener whether its server process is still there, and
  /// how long the answer may take: together the time in which a notice may be missing.
  static let listenerPauseNanoseconds: UInt64 = 2_000_000_000
  static let listenerSilenceNanoseconds: UInt64 = 3_000_000_000
  /// First pause before connecting again; it doubles each time up to the longest.
  static let firstBackoffNanoseconds: UInt64 = 50_000_000
  /// Longest pause before connecting again: a database that returns is noticed within it.
  static let longestBackoffNanoseconds: UInt64 = 500_000_000
  /// Bulk transfers at once per loop: reads by cursors, each on a connection of its own, and
  /// imports.
  static let streamsPerLoop = 4
  /// Rows of a stream's first portion: few, so that its reader starts at once.
  static let firstPortionRows = 64
  /// Rows of a portion at most: with more the loop pauses longer, and reading 200,000 installations
  /// costs the same from 128 to 512.
  static let portionRows = 256
  /// Bytes of a portion in libpq's memory, about: large rows come fewer at a time. As many again
  /// are decoded, and the socket holds what the server has sent ahead.
  static let portionBytes = 1 << 20
  /// Characters of the shortest secret that is looked for in messages: a shorter one stands in many
  /// words.
  static let secretCharacters = 4

  // MARK: Migrations

  /// How long an attempt waits so that PostgreSQL ends an autovacuum, which takes PostgreSQL a
  /// second.
  static let migrationVacuumLockMilliseconds = 1200
  /// The pause between two attempts: callers that waited behind one pass, and the next one soon
  /// notices that its lock is free.
  static let migrationPauseNanoseconds: UInt64 = 1_000_000_000
  /// The longest pause: less than what a session may rest (`idle_session_timeout`).
  static let migrationLongPauseNanoseconds: UInt64 = 30_000_000_000
  /// How long a step waits before it is looked at: it is in line by then, and goes on waiting.
  static let migrationLookNanoseconds: UInt64 = 100_000_000
  /// How often an instance asks whether it is its turn.
  static let turnNanoseconds: UInt64 = 250_000_000
  /// How often the same hindrance is told.
  static let migrationNewsNanoseconds: UInt64 = 60_000_000_000

  // MARK: The embedded server

  /// How long a start may take: recovery reads up to `max_wal_size` of log.
  static let startSeconds = 300
  /// How long a server of an earlier run may take to write everything.
  static let orphanSeconds = 60
  /// Milliseconds that a server has to end at each of two signals when its start is given up.
  static let abandonMilliseconds: UInt64 = 500
  /// Looks, ten milliseconds apart, for the children of a dead server between two signals to them:
  /// they have half a second to follow the gentler one.
  static let orphanPauses = 50
  /// How many starts may find the shared memory held before that counts as a failure, and the pause
  /// between them: together ten seconds, in which the longest statement ends.
  static let memoryWaits = 200
  static let memoryWaitMilliseconds = 50
  /// Starts in a row that may fail before the service ends: the first at once, the others after a
  /// pause that doubles, in which the memory may have room again.
  static let recoveryStarts = 3
  static let recoveryPauseMilliseconds = 500
  /// How often the pause doubles while the disk is full: to 16 seconds, within which room that
  /// somebody makes is noticed.
  static let fullDiskDoublings = 5
  /// With less room than this a disk counts as full: recovery begins a new file of the log, which
  /// has this size.
  static let startRoomBytes: UInt64 = 16 << 20
  /// Bytes of a file of the server's account that are read, from its end: some hundred words of
  /// the log, and all of any other.
  static let readBytes = 8192
  /// Links on the way to the data directory: as many as the kernel follows (path_resolution(7)).
  static let links = 40
}

/// The bound of waits for locks of whole tables.
public enum LockLimits {
  /// How long a migration and its like wait before they let others pass and try again: all
  /// statements behind them wait as long, and nobody notices a third of a second. `sql/roles.sql`
  /// has this number, too.
  public static let milliseconds = 300
}
