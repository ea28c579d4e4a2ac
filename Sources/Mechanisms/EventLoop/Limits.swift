/// The loop's bounds, each with its reason.
enum Limits {
  /// Readiness events taken per wait: enough for a busy core, small enough that jobs of early
  /// events do not wait for handlers of hundreds of late ones.
  static let eventsPerWait = 256
  /// Rounds of jobs before sockets are looked at again, so that tasks that feed each other cannot
  /// starve them.
  static let jobRoundsPerCycle = 64
  /// One read from a socket: a large body moves in few system calls, and the buffer, one per loop,
  /// stays in the second-level cache.
  static let readBufferBytes = 64 * 1024
  /// Longest wait for a peer to take bytes before we look how many it took: the kernel tells of
  /// room only when a third of its buffer is free, which may be a megabyte.
  static let writeLookNanoseconds: UInt64 = 1_000_000_000
  /// Connections accepted per readiness event, so that a flood of them cannot starve requests.
  static let acceptsPerEvent = 64
  /// Pause before accepting again when the process is out of descriptors.
  static let acceptPauseNanoseconds: UInt64 = 100_000_000
  /// How much less urgent worker threads are than loops, as a nice value: beside a loop that never
  /// rests they get a tenth of the core, so that they delay it little and do not starve.
  static let workerNiceness: Int32 = 10
  /// The time that a start asks the supervisor for. It asks again after a third of it: a busy
  /// machine may be late.
  static let startExtensionSeconds: UInt32 = 60
  /// What the kernel keeps of an answer that the peer has not taken, as `SO_SNDBUF`: 256 KiB move
  /// 2.5 MB a second to a peer 100 ms away. The kernel by itself takes megabytes on the loopback
  /// interface, which is a millisecond for each peer that asks for much and reads nothing.
  static let sendBufferBytes: Int32 = 256 * 1024
  /// Connections the kernel completes for us before they are accepted.
  static let listenBacklog: Int32 = 4096
}
