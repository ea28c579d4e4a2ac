internal import DeviceProfile
internal import JSON
internal import Postgres

/// A report that changed nothing: the app called, and the row of its installation stays as it is.
///
/// It is kept until ``Sightings`` has written it down, as it may have to be taken once more.
/// Example: at 12:00 the device turns English, reports it, and the row says so. At 12:05 it reports
/// the same to instance A, which changes nothing. In the same second a report of 12:02, which says
/// French and was under way for long, arrives at instance B, where nobody knows of 12:05 yet. It is
/// written. When A writes the sighting down it learns of that, and takes the report of 12:05 again.
final class Sighting: Sendable {
  let installation: InstallationKey
  /// The revision of the row that the report changed nothing of.
  let revision: Int64
  let report: RegistrationReport
  let source: TokenEvent.Source
  /// When the report arrived.
  let at: Timestamp
  /// The newest `reported_at` of this report and those joined with it.
  let reportedAt: Timestamp?
  /// When the tokens were last brought.
  let presented: PerKind<Timestamp>

  init(
    _ stored: Installation, _ report: RegistrationReport, source: TokenEvent.Source, at: Timestamp
  ) {
    installation = stored.key
    revision = stored.revision
    self.report = report
    self.source = source
    self.at = at
    reportedAt = report.reportedAt.map { min($0, at) }
    var presented = PerKind<Timestamp>()
    for kind in CredentialKind.withColumns where report.credentials[kind]?.value != nil {
      presented[kind] = at
    }
    self.presented = presented
  }

  /// Joins two of one installation that say the same. The report that is newer by the device's
  /// clock is kept, with the times of both.
  private init(_ one: Sighting, _ other: Sighting) {
    let isOlder = (other.reportedAt ?? other.at, other.at) < (one.reportedAt ?? one.at, one.at)
    (report, source) = isOlder ? (one.report, one.source) : (other.report, other.source)
    installation = one.installation
    revision = max(one.revision, other.revision)
    at = max(one.at, other.at)
    reportedAt = latest(one.reportedAt, other.reportedAt)
    var presented = one.presented
    for kind in CredentialKind.withColumns {
      presented[kind] = latest(presented[kind], other.presented[kind])
    }
    self.presented = presented
  }

  /// This one joined with one that came before it; `nil` if they say different things, as one
  /// report cannot stand for both. If the other is of an installation that had the id before, this
  /// one alone.
  func joined(with former: Sighting?) -> Sighting? {
    guard let former, areOfSameInstallation(former.revision, revision) else { return self }
    var said = former.report
    said.reportedAt = report.reportedAt
    return said == report ? Sighting(former, self) : nil
  }

  /// What is stored of it.
  var row: InstallationTimes {
    InstallationTimes(
      installation: installation, revision: revision, reportedAt: reportedAt, presented: presented)
  }

  /// The part of the report that still counts, now that another instance has written the row.
  ///
  /// | the row by now | what counts of the report |
  /// |---|---|
  /// | was written by an older report | all of it |
  /// | was written by a newer report, or by an answer of APNs alone | none of its fields |
  ///
  /// In both cases a token of the report that an answer of APNs took out of use has a rule of its
  /// own: it comes back if the answer is from before the report, and stays out of use if not.
  ///
  /// - Parameters:
  ///   - rowTime: The newest `reported_at` that the row has.
  ///   - reportWroteSince: Whether a report with a time has written the row since.
  func remainder(
    on stored: Installation, rowTime: Timestamp?, reportWroteSince: Bool,
    deadSince: PerKind<Timestamp>
  ) -> RegistrationReport {
    let isNewest = reportedAt.map { time in rowTime.map { $0 < time } ?? true } ?? false
    var rest = isNewest && reportWroteSince ? report : RegistrationReport()
    for kind in CredentialKind.withColumns {
      guard let presentedAt = presented[kind], let token = report.credentials[kind]?.value,
        let credential = stored.credentials[kind], credential.token == token,
        credential.status != .active
      else { continue }
      let isRevived = deadSince[kind].map { $0 < presentedAt } ?? false
      rest.credentials[kind] = isRevived ? .set(token) : .keep
    }
    return rest
  }
}

extension Installation {
  /// Adds the times of reports that changed nothing.
  mutating func add(_ seen: InstallationTimes) {
    guard areOfSameInstallation(revision, seen.revision) else { return }
    reportedAt = latest(reportedAt, seen.reportedAt)
    for kind in CredentialKind.withColumns {
      guard let known = credentials[kind]?.presentedAt, let time = seen.presented[kind]
      else { continue }
      credentials[kind]?.presentedAt = max(known, time)
    }
  }
}

/// Whether two revisions are of the same installation. If it was deleted and made anew under its
/// id, they are not (``Installation/firstRevision(_:)``).
func areOfSameInstallation(_ one: Int64, _ other: Int64) -> Bool {
  one / RegistryLimits.changesPerInstallation == other / RegistryLimits.changesPerInstallation
}

private func latest(_ one: Timestamp?, _ other: Timestamp?) -> Timestamp? {
  [one, other].compactMap { $0 }.max()
}
