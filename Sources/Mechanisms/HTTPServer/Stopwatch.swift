/// How long something has gone on, in all its times together.
///
///     start at 10, stop at 30, start at 50    at 60: 30
struct Stopwatch {
  private var total: UInt64 = 0
  /// When it began; `nil` while it does not go on.
  private var began: UInt64?

  mutating func start(at now: UInt64) { began = now }

  mutating func stop(at now: UInt64) {
    total = nanoseconds(at: now)
    began = nil
  }

  /// The sum of its times so far.
  func nanoseconds(at now: UInt64) -> UInt64 { total + (began.map { now - $0 } ?? 0) }
}
