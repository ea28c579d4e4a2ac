import Postgres

/// Reports of one installation that overtake each other: those that changed nothing, and those that
/// are being written.
///
/// Of two that meet, one finds the other here. An older one that is to be written finds the newer
/// one that changed nothing; a newer one that changes nothing finds that an older one is being
/// written, and is written as well, so that the row decides between them.
struct ReportOrder {
  private struct Writes {
    var underWay = 0
    /// Whether the end of one was never told: its server may commit it yet.
    var hasUntold = false
    /// The number of the last that ended, from 1.
    var lastEnd: UInt64 = 0
  }

  private var unwritten = RecentValues<Timestamp>(RegistryLimits.rememberedReports)
  private var writes = RecentValues<Writes>(RegistryLimits.rememberedWrites)
  /// How many writes have ended; to be asked before an installation is read.
  private(set) var ended: UInt64 = 0

  /// The newest event time of reports that changed nothing, as far as it is remembered.
  func newest(of installation: InstallationKey) -> Timestamp? { unwritten[installation] }

  /// Notes the event time of a report that changes nothing, unless another one may be committed
  /// behind the read that it was decided on.
  /// - Parameter ended: How many writes had ended before that read.
  /// - Returns: Whether it is noted.
  mutating func note(
    _ time: Timestamp, of installation: InstallationKey, readBehind ended: UInt64
  ) -> Bool {
    if let writes = writes[installation],
      writes.underWay > 0 || writes.hasUntold || writes.lastEnd > ended
    {
      return false
    }
    _ = unwritten.noteTime(time, installation)
    return true
  }

  /// Begins the write of a report, unless a newer one is noted.
  /// - Returns: Whether it has begun.
  mutating func begin(_ time: Timestamp, of installation: InstallationKey) -> Bool {
    if let newest = unwritten[installation], time < newest { return false }
    var writes = self.writes[installation] ?? Writes()
    writes.underWay += 1
    self.writes.note(writes, installation)
    return true
  }

  /// Ends the write of a report, however late.
  mutating func end(
    of installation: InstallationKey, _ result: Result<CommitResult, PostgresError>
  ) {
    ended += 1
    guard var writes = self.writes[installation] else { return }
    writes.underWay -= 1
    writes.lastEnd = ended
    switch result {
    // It had the row for itself, so those before it have ended.
    case .success(.written), .success(.overtaken): writes.hasUntold = false
    case .success(.outrun): break
    case .failure(let error): writes.hasUntold = writes.hasUntold || !error.isOutcomeKnown
    }
    self.writes.note(writes, installation)
  }
}
