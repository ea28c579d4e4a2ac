/// How far a standby is behind its primary. It notes at which time the primary's log ends where,
/// and compares that with the place up to which the standby has replayed the log.
///
/// Example: the log ended at 500 at 12:00:00 and at 700 at 12:00:01. At 12:00:02 the standby is at
/// 600: it has all until 12:00:00, and lacks the changes of two seconds at most.
///
/// A standby's own word is not enough: if it cannot reach its primary, it does not know what it
/// lacks.
struct ReplicaProgress {
  private var marks: [(position: Int64, at: UInt64)] = []
  /// The latest time until which the standby is known to have all that the primary wrote.
  private var reached: UInt64?

  /// The primary's log ends here.
  /// - Parameters:
  ///   - position: Bytes of log since the cluster was made.
  ///   - time: Nanoseconds of the monotonic clock, not later than the primary was asked.
  mutating func written(_ position: Int64, at time: UInt64) {
    guard marks.count < Limits.replicaMarks else { return }
    marks.append((position, time))
  }

  /// The standby has replayed the log up to this place.
  mutating func replayed(_ position: Int64) {
    guard let last = marks.lastIndex(where: { $0.position <= position }) else { return }
    reached = marks[last].at
    marks.removeFirst(last + 1)
  }

  /// Nanoseconds of changes that the standby lacks at most; `nil` as long as nobody knows.
  func lag(at now: UInt64) -> UInt64? { reached.map { now - $0 } }
}
