extension Limits {
  /// Descriptors of a loop: its epoll set, its wake-up, its listening socket.
  static let descriptorsPerLoop = 3
  /// Descriptors of the process beside its loops: the standard three, the listener of notices, the
  /// connections of maintenance and of an app's deletion, the files, pipes and lock of an embedded
  /// cluster, the two of webhooks, the descriptors that the resolver of names opens, and as much
  /// again.
  static let reservedDescriptors = 98
  /// One in so many at most goes to attempts of webhooks.
  static let descriptorsPerWebhookTransfer = 20

  /// How much later than its successors an earlier change may have happened by the clock:
  /// transactions take seconds, and clocks of instances differ by less than this.
  static let changeDisorder: Duration = .seconds(3600)

  /// Attempts under way of an instance: some 100 kB each, and a descriptor.
  static let webhookTransfers = 48

  /// Seconds that `postilion doctor` waits for a program of this machine: a program that takes
  /// longer hangs.
  static let doctorSeconds = 3
  /// Bytes of the answer of such a program: the answers of Postilion are a few lines.
  static let doctorAnswerBytes = 65_536
  /// Free bytes of a disk below which `postilion doctor` calls it full: PostgreSQL writes a
  /// gigabyte of log (`max_wal_size`) before it gives any of it back.
  static let leastRoomBytes: UInt64 = 1 << 30
  /// Percent of a disk that must be free, or `postilion doctor` says so: file systems slow down,
  /// and a worst day (docs/operations.md) may need more.
  static let scarceRoomPercent: UInt64 = 10
  /// How far two clocks may be apart: NTP keeps them within some milliseconds.
  static let clockDifferenceMicroseconds: Int64 = 1_000_000
  /// Sessions of an instance besides the sessions of its loops: one that listens, one that tidies
  /// up the index of the filters, two for webhooks, two for maintenance, two while an app is
  /// deleted.
  static let sessionsBesides = 8
  /// The oldest PostgreSQL that serves, as `server_version_num` has it.
  static let leastServerVersion: Int32 = 140_000
  /// Pause between two looks whether the schema is as it should be: a look takes the database 2 ms.
  static let lookIntervalNanoseconds: UInt64 = 10_000_000_000

  /// Days for which the row of a token without an owner is kept: takeovers are counted over a day,
  /// and for a month the row tells where a token went.
  static let givenUpTokenDays = 30
  /// Days for which cursors from the earlier Postilion of a moved app still work here.
  static let movedDays = 30
  /// Longest a move waits for an answer of one of its databases.
  static let moveAnswerNanoseconds: UInt64 = 60_000_000_000
  /// Longest one of its tables may take to be summed up.
  static let moveSumTimeoutMilliseconds = 3_600_000
  /// How often a move looks whether older transactions have ended, and the time between.
  static let (moveWriterLooks, moveWriterPauseNanoseconds) = (600, UInt64(50_000_000))
  /// Days for which the row of a code is kept with which an app claims an installation: the code is
  /// good for a day.
  static let claimCodeDays = 1
  /// Longest a month's rows may take to move into its partition, while registrations wait. Rows
  /// that take longer stay where they are.
  static let partitionStatementMilliseconds = 5000
  /// Attempts at a lock that readers hold. A backup may hold it for longer, and the next run tries
  /// again.
  static let partitionAttempts = 12
  /// Pause between two attempts, in which waiting calls are served.
  static let partitionPauseNanoseconds: UInt64 = 5_000_000_000
  /// Partitions are made two months ahead, so a day is often enough.
  static let maintenanceIntervalNanoseconds: UInt64 = 86_400_000_000_000
  /// Pause after a run that could not do everything.
  static let maintenanceRetryNanoseconds: UInt64 = 3_600_000_000_000
  /// How often the registry is counted for the metrics: about as often as they are read.
  static let censusIntervalNanoseconds: UInt64 = 60_000_000_000
  /// The pause after a count is this many times the duration of the count, so that counting takes a
  /// hundredth of the time at most.
  static let censusShare: UInt64 = 100
  /// The longest pause after a count.
  static let censusPauseNanoseconds: UInt64 = 3_600_000_000_000
  /// How long a count may take; nobody waits for it. A hundred million installations take some two
  /// minutes.
  static let censusMilliseconds = 1_800_000

  /// How often GIN's pending list is merged into the index while it grows. At 3,000 registrations a
  /// second, what gathers in 200 ms takes 10 ms, for which no registration waits.
  static let filterIndexIntervalNanoseconds: UInt64 = 200_000_000
  /// How often the pending list is looked at while nothing comes: in this time it fills by a fifth
  /// at most.
  static let filterIndexRestNanoseconds: UInt64 = 1_000_000_000
}
