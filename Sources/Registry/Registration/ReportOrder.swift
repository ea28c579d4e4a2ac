import Postgres

/// Reports of one installation that overtake each other: those that changed nothing, and those that
/// are being written.
///
/// Of two that meet, one finds the other here. An older one that is to be written finds the newer
/// one that changed nothing; a newer one that changes nothing finds that an older one is being
/// written, and is written as well, so that the row decides between them.
struct ReportOrder {
  /// An installation from its creation on: one that is made anew under its name has no reports yet.
  struct Life: Hashable {
    fileprivate let key: InstallationKey
    fileprivate let createdAt: Timestamp
  }

  /// The newest event times of reports that changed nothing.
  private var unwritten = RecentValues<Timestamp>(RegistryLimits.rememberedReports)
  /// How many writes of each installation are under way.
  private var underWay: [InstallationKey: Int] = [:]
  /// Whether a write of an installation may be under way whose end was not told: its connection
  /// broke, and its server may commit it yet.
  private var untold = RecentValues<Bool>(RegistryLimits.rememberedWrites)
  /// The numbers of the last writes that ended.
  private var lastEnds = RecentValues<UInt64>(RegistryLimits.rememberedWrites)
  /// How many writes have ended; to be asked before an installation is read.
  private(set) var ended: UInt64 = 0

  /// The newest event time of reports that changed nothing, as far as it is remembered.
  func newest(of life: Life) -> Timestamp? { unwritten[life] }

  /// Notes the event time of a report that changes nothing, unless an older one may be committed
  /// behind the read that it was decided on.
  /// - Parameter ended: How many writes had ended before that read.
  /// - Returns: Whether the report stands.
  mutating func note(_ time: Timestamp, of life: Life, readBehind ended: UInt64) -> Bool {
    if let newest = newest(of: life), time <= newest { return true }
    guard underWay[life.key] == nil, untold[life.key] != true, lastEnds[life.key] ?? 0 <= ended
    else { return false }
    unwritten.note(time, life)
    return true
  }

  /// Begins the write of a report, unless a newer one is noted.
  /// - Parameter life: `nil` of an installation that is new.
  /// - Returns: Whether it has begun.
  mutating func begin(
    _ time: Timestamp, of installation: InstallationKey, _ life: Life?
  ) -> Bool {
    if let newest = life.flatMap({ newest(of: $0) }), time < newest { return false }
    underWay[installation, default: 0] += 1
    return true
  }

  /// Ends the write of a report, however late.
  mutating func end(
    of installation: InstallationKey, _ result: Result<CommitResult, PostgresError>
  ) {
    ended += 1
    lastEnds.note(ended, installation)
    let others = (underWay[installation] ?? 1) - 1
    underWay[installation] = others > 0 ? others : nil
    if case .failure(let error) = result, !error.isOutcomeKnown {
      untold.note(true, installation)
    }
  }

  /// Notes that an installation was written: that waited for the row, so all before it have ended.
  mutating func noteWritten(_ installation: InstallationKey) {
    if untold[installation] == true { untold.note(false, installation) }
  }
}

extension Installation {
  /// From its creation on.
  var life: ReportOrder.Life { ReportOrder.Life(key: key, createdAt: createdAt) }
}
