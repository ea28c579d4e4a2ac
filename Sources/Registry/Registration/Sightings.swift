internal import DeviceProfile
internal import EventLoop
import Postgres
internal import Synchronization

/// Reports that changed nothing, until they are stored; all loops of a process share them.
///
/// Such a report does not write the row of its installation, yet two things must know of it, at
/// every instance and after a restart: an answer of APNs from before it must not take its token out
/// of use (docs/apple.md 3.1), and an older report must not overwrite it. So half a second later it
/// becomes a narrow row of the table `sighting`, together with all others that wait. A change that
/// must not be older writes the same row (``WriteTimeGuards``).
///
/// In that half second only this process knows of the report. If another one writes something older
/// then, the report is taken once more
/// (``Sighting/remainder(on:rowTime:reportWroteSince:deadSince:)``).
package final class Sightings: Sendable {
  private struct State {
    /// What is not stored yet.
    var waiting: [InstallationKey: Sighting] = [:]
    /// Writes of reports with a time.
    var reports = WritesUnderWay()
    /// Writes of answers of APNs.
    var answers = WritesUnderWay()
    /// Whether ``Registrar/writeSightings()`` runs.
    var isWriting = false
  }
  private let state = Mutex(State())

  package init() {}

  /// The moment before a read: how many writes had ended then.
  struct ReadStart {
    fileprivate var reports: UInt64
    fileprivate var answers: UInt64
  }

  /// Now. Ask for it just before you read an installation.
  var readStart: ReadStart {
    state.withLock { ReadStart(reports: $0.reports.ended, answers: $0.answers.ended) }
  }

  /// Adds to an installation the times of a report that waits here.
  func addWaiting(to stored: inout Installation) {
    let key = stored.key
    guard let waiting = state.withLock({ $0.waiting[key] }) else { return }
    stored.add(waiting.row)
  }

  /// What becomes of a report that changes nothing.
  enum NoteResult {
    /// It is noted, or says nothing new.
    case noted
    /// It is noted, and ``Registrar/writeSightings()`` does not run: the caller has to start it.
    case notedWithoutWriter
    /// It is not noted, and must be written to the installation's row: the row may have been
    /// written since it was read, another report waits that says something else, or too much waits.
    /// If somebody has written the row, the check of its revision fails.
    case mustBeWritten
  }

  /// Notes a report that changes nothing.
  /// - Parameters:
  ///   - known: The newest `reported_at` of the installation that is known.
  ///   - start: The moment before the row was read.
  func note(_ sighting: Sighting, known: Timestamp?, readFrom start: ReadStart) -> NoteResult {
    let key = sighting.installation
    let isNewer = sighting.reportedAt.map { time in known.map { $0 < time } ?? true } ?? false
    let bringsTokens = sighting.presented != PerKind()
    guard isNewer || bringsTokens else { return .noted }
    return state.withLock { state in
      guard !isNewer || state.reports.isQuiet(key, readFrom: start.reports),
        !bringsTokens || state.answers.isQuiet(key, readFrom: start.answers),
        state.waiting.count < RegistryLimits.waitingSightings,
        let joined = sighting.joined(with: state.waiting[key])
      else { return .mustBeWritten }
      state.waiting[key] = joined
      defer { state.isWriting = true }
      return state.isWriting ? .noted : .notedWithoutWriter
    }
  }

  /// Begins the write of changes, unless one of them is older than a report that waits here.
  /// - Returns: A function to call when it has ended; `nil` if you must not write the changes.
  func begin(_ changes: ChangeSet) -> CommitQueue.Ended? {
    let timeGuards = changes.timeGuards
    let isOlder = state.withLock { state in
      if timeGuards.contains(where: { state.waiting[$0.installation]?.forbids($0) ?? false }) {
        return true
      }
      for timeGuard in timeGuards {
        if timeGuard.reportedAt != nil { state.reports.begin(timeGuard.installation) }
        if timeGuard.deadSince != PerKind() { state.answers.begin(timeGuard.installation) }
      }
      return false
    }
    if isOlder { return nil }
    let written = changes.transitions.compactMap(\.key)
    return { [self] result in
      state.withLock { state in
        for timeGuard in timeGuards {
          if timeGuard.reportedAt != nil { state.reports.end(timeGuard.installation, result) }
          if timeGuard.deadSince != PerKind() { state.answers.end(timeGuard.installation, result) }
        }
        guard let end = try? result.get(), end != .outrun else { return }
        for key in written {
          state.reports.noteWritten(key)
          state.answers.noteWritten(key)
        }
      }
    }
  }

  /// Those that wait now.
  var waiting: [Sighting] { state.withLock { Array($0.waiting.values) } }

  /// Forgets what is stored. If a later report was noted since, that one stays.
  func forget(_ sightings: [Sighting]) {
    state.withLock { state in
      for sighting in sightings {
        guard state.waiting[sighting.installation] === sighting else { continue }
        state.waiting[sighting.installation] = nil
      }
    }
  }

  /// Whether nothing waits any more. Then ``Registrar/writeSightings()`` ends.
  func isDone() -> Bool {
    state.withLock { state in
      state.isWriting = !state.waiting.isEmpty
      return state.waiting.isEmpty
    }
  }
}

extension Sighting {
  /// Whether a change is older than this.
  fileprivate func forbids(_ timeGuard: InstallationTimes) -> Bool {
    guard areOfSameInstallation(revision, timeGuard.revision) else { return false }
    func isLater(_ time: Timestamp?, _ other: Timestamp?) -> Bool {
      if let time, let other { time > other } else { false }
    }
    return isLater(reportedAt, timeGuard.reportedAt)
      || CredentialKind.withColumns.contains { isLater(presented[$0], timeGuard.deadSince[$0]) }
  }
}

extension Registrar {
  /// Stores what waits, every half second until nothing does.
  func writeSightings() async {
    repeat {
      await database.loop.sleep(nanoseconds: RegistryLimits.sightingInterval)
      await writeWaitingSightings()
    } while !sightings.isDone()
  }

  /// Stores what waits now. What fails is tried again half a second later.
  package func writeWaitingSightings() async {
    var rest = sightings.waiting[...]
    while !rest.isEmpty {
      let portion = Array(rest.prefix(RegistryLimits.sightingsPerRound))
      rest = rest.dropFirst(portion.count)
      do {
        let rows = try await database.write(WriteSightings(sightings: portion.map(\.row)))
        let written = Dictionary(rows.map { ($0.installation, $0) }) { $1 }
        for sighting in portion {
          guard let row = written[sighting.installation], row.revision &- sighting.revision > 0
          else { continue }
          let written = row.reportRevision.map { $0 &- sighting.revision > 0 }
          try await takeAgain(sighting, reportWroteSince: written ?? false)
        }
        sightings.forget(portion)
      } catch {
        return
      }
    }
  }

  /// Takes a report once more that changed nothing when it came: the part of it that still counts.
  private func takeAgain(_ sighting: Sighting, reportWroteSince: Bool) async throws {
    struct Gone: Error {}
    do {
      _ = try await decideAndWrite(
        Incoming(
          installation: sighting.installation, report: sighting.report, source: sighting.source,
          now: sighting.at),
        AttemptState(readsEverything: true),
        prepare: { basis, report in
          guard let stored = basis.stored, areOfSameInstallation(stored.revision, sighting.revision)
          else { throw Gone() }
          report = sighting.remainder(
            on: stored, rowTime: basis.rowTime, reportWroteSince: reportWroteSince,
            deadSince: basis.deadSince)
        }, admit: { _ in })
    } catch let error as PostgresError where !error.isOfOneRow || error.isOfDeadlock {
      throw error
    } catch RegistryFailure.outrun {
      throw RegistryFailure.outrun
    } catch {
      // The installation is gone, or the report cannot be taken: somebody else may have its token.
    }
  }
}
