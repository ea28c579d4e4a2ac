import Postgres

/// Writes of installations that this process has sent, and those whose end it does not know.
///
/// A report that seems to change nothing asks here whether a write may have changed the row since
/// it was read. If so, nobody can say yet that nothing changes, and the report is written: if
/// somebody has written the row, the check of its revision fails.
struct WritesUnderWay {
  /// How many writes of each installation are under way.
  private var numbers: [InstallationKey: Int] = [:]
  /// Installations with a write whose end is unknown: the connection broke, and the server may
  /// still commit it.
  private var unknownEnds = RecentValues<Bool>(RegistryLimits.rememberedWrites)
  /// The number of the last write of each installation that ended.
  private var lastEnds = RecentValues<UInt64>(RegistryLimits.rememberedWrites)
  /// How many writes have ended. Ask for it just before you read an installation.
  private(set) var ended: UInt64 = 0

  /// Whether no write can have changed an installation since it was read.
  /// - Parameter ended: How many writes had ended just before that read.
  func isQuiet(_ installation: InstallationKey, readFrom ended: UInt64) -> Bool {
    numbers[installation] == nil && unknownEnds[installation] != true
      && lastEnds[installation] ?? 0 <= ended
  }

  /// A write begins.
  mutating func begin(_ installation: InstallationKey) { numbers[installation, default: 0] += 1 }

  /// A write has ended.
  mutating func end(
    _ installation: InstallationKey, _ result: Result<CommitResult, PostgresError>
  ) {
    ended += 1
    lastEnds.note(ended, installation)
    let others = (numbers[installation] ?? 1) - 1
    numbers[installation] = others > 0 ? others : nil
    if case .failure(let error) = result, !error.isSurelyUndone {
      unknownEnds.note(true, installation)
    }
  }

  /// An installation was written. Writes of it that were sent before have ended by then: this one
  /// had to wait for the row's lock.
  mutating func noteWritten(_ installation: InstallationKey) {
    if unknownEnds[installation] == true { unknownEnds.note(false, installation) }
  }
}
