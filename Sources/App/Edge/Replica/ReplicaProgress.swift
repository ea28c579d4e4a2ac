/// How far a standby is behind its primary: ends of the primary's log, each with the time at which
/// it was not further than that, against the place that the standby has replayed.
///
/// A standby's own word is not enough: one whose primary it cannot reach knows of nothing that it
/// lacks.
struct ReplicaProgress {
  private var marks: [(position: Int64, at: UInt64)] = []
  /// When the primary's log ended where the standby is.
  private var reached: UInt64?

  /// The primary's log ends here.
  /// - Parameters:
  ///   - position: Bytes of log since the cluster was made.
  ///   - time: Nanoseconds of the monotonic clock, not later than the primary was asked.
  mutating func written(_ position: Int64, at time: UInt64) {
    guard marks.count < Limits.replicaMarks else { return }
    marks.append((position, time))
  }

  /// The standby has this of the log.
  mutating func replayed(_ position: Int64) {
    guard let last = marks.lastIndex(where: { $0.position <= position }) else { return }
    reached = marks[last].at
    marks.removeFirst(last + 1)
  }

  /// Nanoseconds of changes that the standby lacks at most; `nil` as long as nobody knows.
  func lag(at now: UInt64) -> UInt64? { reached.map { now - $0 } }
}
