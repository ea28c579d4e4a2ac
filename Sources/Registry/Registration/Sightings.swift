internal import EventLoop
import Postgres
internal import Synchronization

/// Reports that changed nothing, until they are written down; all loops of a process share them.
///
/// Such a report writes no row of its installation, yet two things must know of it, at every
/// instance and behind a restart: an answer of APNs from before it must not take its token out of
/// use (docs/apple.md 3.1), and an older report must not be written over it. So it becomes a narrow
/// row of `sighting`, half a second later, together with all others. A change that must not be
/// older than it claims the same row (``ClaimSightings``). Until then this process knows of it from
/// here, and another one may write something older: then the report is taken once more
/// (``Sighting/rest(of:rowTime:isBehindReport:deadSince:)``).
package final class Sightings: Sendable {
  private struct State {
    /// What is not written down yet.
    var waiting: [InstallationKey: Sighting] = [:]
    /// Writes of reports that have a time.
    var reports = WritesUnderWay()
    /// Writes of answers of APNs.
    var answers = WritesUnderWay()
    /// Whether a loop is at writing.
    var isWriting = false
  }
  private let state = Mutex(State())

  package init() {}

  /// How many writes had ended at a moment.
  struct Moment {
    fileprivate var reports: UInt64
    fileprivate var answers: UInt64
  }

  /// Now; to be asked before an installation is read.
  var moment: Moment {
    state.withLock { Moment(reports: $0.reports.ended, answers: $0.answers.ended) }
  }

  /// Adds to an installation what is known of reports that changed nothing and wait here.
  func recall(_ stored: inout Installation) {
    let key = stored.key
    guard let waiting = state.withLock({ $0.waiting[key] }) else { return }
    stored.recall(waiting.row)
  }

  /// What becomes of a report that changes nothing.
  enum Verdict {
    /// It stands.
    case stands
    /// It stands, and nobody is at writing it down.
    case standsAndWaits
    /// Something may be committed behind what was read: it must be written itself.
    case mustBeWritten
  }

  /// Notes a report that changes nothing.
  /// - Parameters:
  ///   - known: The newest event time that the row knows of.
  ///   - moment: From before the row was read.
  func note(_ sighting: Sighting, known: Timestamp?, readBehind moment: Moment) -> Verdict {
    let key = sighting.installation
    let isNewer = sighting.reportedAt.map { time in known.map { $0 < time } ?? true } ?? false
    let bringsTokens = sighting.presented != PerKind()
    guard isNewer || bringsTokens else { return .stands }
    return state.withLock { state in
      guard !isNewer || state.reports.isQuiet(key, readBehind: moment.reports),
        !bringsTokens || state.answers.isQuiet(key, readBehind: moment.answers),
        state.waiting.count < RegistryLimits.waitingSightings
      else { return .mustBeWritten }
      state.waiting[key] = sighting.joined(with: state.waiting[key])
      defer { state.isWriting = true }
      return state.isWriting ? .stands : .standsAndWaits
    }
  }

  /// Begins the write of changes, unless one of them is older than a report that waits here.
  /// - Returns: What is to be called when it has ended; `nil` when it is not to be written.
  func begin(_ changes: ChangeSet) -> CommitQueue.Ended? {
    let claims = changes.claims
    let isOlder = state.withLock { state in
      if claims.contains(where: { state.waiting[$0.installation]?.forbids($0) ?? false }) {
        return true
      }
      for claim in claims {
        if claim.reportedAt != nil { state.reports.begin(claim.installation) }
        if claim.deadSince != PerKind() { state.answers.begin(claim.installation) }
      }
      return false
    }
    if isOlder { return nil }
    let written = changes.transitions.compactMap(\.key)
    return { [self] result in
      state.withLock { state in
        for claim in claims {
          if claim.reportedAt != nil { state.reports.end(claim.installation, result) }
          if claim.deadSince != PerKind() { state.answers.end(claim.installation, result) }
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

  /// Forgets what is written down, or needs not be, unless there was a later report since.
  func forget(_ sightings: [Sighting]) {
    state.withLock { state in
      for sighting in sightings {
        guard state.waiting[sighting.installation] === sighting else { continue }
        state.waiting[sighting.installation] = nil
      }
    }
  }

  /// Whether nothing waits any more: then whoever writes may end.
  func isDone() -> Bool {
    state.withLock { state in
      state.isWriting = !state.waiting.isEmpty
      return state.waiting.isEmpty
    }
  }
}

extension Sighting {
  /// Whether a change is older than this.
  fileprivate func forbids(_ claim: SightingRow) -> Bool {
    guard isOfOneLife(revision, claim.revision) else { return false }
    func isLater(_ time: Timestamp?, _ other: Timestamp?) -> Bool {
      if let time, let other { time > other } else { false }
    }
    return isLater(reportedAt, claim.reportedAt)
      || CredentialKind.allCases.contains { isLater(presented[$0], claim.deadSince[$0]) }
  }
}

extension Registrar {
  /// Writes down what waits, every half second until nothing does.
  func writeSightings() async {
    repeat {
      await database.loop.sleep(nanoseconds: RegistryLimits.sightingInterval)
      await writeWaitingSightings()
    } while !sightings.isDone()
  }

  /// Writes down what waits now. What fails is tried again later.
  package func writeWaitingSightings() async {
    var rest = sightings.waiting[...]
    while !rest.isEmpty {
      let portion = Array(rest.prefix(RegistryLimits.sightingsPerRound))
      rest = rest.dropFirst(portion.count)
      do {
        let rows = try await database.write(WriteSightings(sightings: portion.map(\.row)))
        let written = Dictionary(rows.map { ($0.installation, $0) }) { $1 }
        for sighting in portion {
          guard let row = written[sighting.installation], row.revision > sighting.revision
          else { continue }
          try await takeAgain(
            sighting, isBehindReport: row.reportRevision.map { $0 > sighting.revision } ?? false)
        }
        sightings.forget(portion)
      } catch {
        return
      }
    }
  }

  /// Takes a report once more that changed nothing when it came, as far as it has something to say
  /// still.
  private func takeAgain(_ sighting: Sighting, isBehindReport: Bool) async throws {
    struct Gone: Error {}
    do {
      _ = try await decideAndWrite(
        Incoming(
          installation: sighting.installation, report: sighting.report, source: sighting.source,
          now: sighting.at),
        Attempt(looksWidely: true),
        prepare: { situation, report in
          guard let stored = situation.stored, isOfOneLife(stored.revision, sighting.revision)
          else { throw Gone() }
          report = sighting.rest(
            of: stored, rowTime: situation.rowTime, isBehindReport: isBehindReport,
            deadSince: situation.deadSince)
        }, admit: { _ in })
    } catch let error as PostgresError where !error.isOfOneRow || error.isOfDeadlock {
      throw error
    } catch {
      // It is gone, or cannot be taken any more: another installation may have its token.
    }
  }
}
