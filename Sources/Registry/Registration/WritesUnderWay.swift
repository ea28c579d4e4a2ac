import Postgres

/// Writes of installations that are under way in this process, and those whose end is not known.
///
/// Whoever finds an installation unchanged asks whether one of them may be committed behind what
/// was read. Then nobody can say yet whether it is unchanged, and the report is written like one
/// that changes something, so that the row decides.
struct WritesUnderWay {
  /// How many writes of each installation are under way.
  private var numbers: [InstallationKey: Int] = [:]
  /// Whether a write of an installation may be under way whose end was not told: its connection
  /// broke, and its server may commit it yet.
  private var untold = RecentValues<Bool>(RegistryLimits.rememberedWrites)
  /// The numbers of the last writes that ended.
  private var lastEnds = RecentValues<UInt64>(RegistryLimits.rememberedWrites)
  /// How many writes have ended; to be asked before an installation is read.
  private(set) var ended: UInt64 = 0

  /// Whether no write can be committed behind a read.
  /// - Parameter ended: How many writes had ended before that read.
  func isQuiet(_ installation: InstallationKey, readBehind ended: UInt64) -> Bool {
    numbers[installation] == nil && untold[installation] != true
      && lastEnds[installation] ?? 0 <= ended
  }

  /// A write begins.
  mutating func begin(_ installation: InstallationKey) { numbers[installation, default: 0] += 1 }

  /// A write ends, however late.
  mutating func end(
    _ installation: InstallationKey, _ result: Result<CommitResult, PostgresError>
  ) {
    ended += 1
    lastEnds.note(ended, installation)
    let others = (numbers[installation] ?? 1) - 1
    numbers[installation] = others > 0 ? others : nil
    if case .failure(let error) = result, !error.isOutcomeKnown {
      untold.note(true, installation)
    }
  }

  /// An installation was written: that waited for the row, so all writes before it have ended.
  mutating func noteWritten(_ installation: InstallationKey) {
    if untold[installation] == true { untold.note(false, installation) }
  }
}
