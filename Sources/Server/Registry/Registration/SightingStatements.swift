package import DeviceProfile
package import Postgres

/// When an installation was last heard of, beside the times in its row: a row of the table
/// `sighting`. A report of a known installation leaves one if it has a time or changed nothing, and
/// so does each answer of APNs that takes a token with columns out of use.
package struct Sighting: Sendable, Hashable {
  package var installation: InstallationKey
  /// The revision that the installation had then. An installation that was deleted and made anew
  /// has another range of revisions, so the times of the former one are not taken for its own.
  package var revision: Int64
  /// The newest `reported_at` of its reports.
  package var reportedAt: Timestamp?
  /// When tokens were last brought by reports that changed nothing.
  package var presented: [CredentialKind: Timestamp] = [:]
  /// For each token that an answer of APNs took out of use, also a refusal: the time from which the
  /// last such answer holds.
  package var deadSince: [CredentialKind: Timestamp] = [:]

  /// The kinds whose times it has. A report that brings a token of another kind writes the
  /// installation.
  static let kinds = CredentialKind.withColumns

  /// Whether there is a time at all.
  var saysSomething: Bool {
    reportedAt != nil || !presented.isEmpty || !deadSince.isEmpty
  }
}

extension Sighting {
  fileprivate static let columns =
    "revision, reported_at"
    + kinds.map { ", \($0.rawValue)_presented_at, \($0.rawValue)_dead_since" }.joined()

  /// A batch as rows, called `x`.
  fileprivate static let batch: String = {
    let types = (5...4 + 2 * kinds.count).map { ", $\($0)::timestamptz[]" }.joined()
    return """
      unnest($1::int4[], $2::uuid[], $3::int8[], $4::timestamptz[]\(types))
        AS x (app_id, installation_id, \(columns))
      """
  }()

  /// Whether the row that is there and the one that is written over it are of one installation,
  /// like ``areOfSameInstallation(_:_:)``.
  fileprivate static let areOfSameInstallation = """
    (s.revision / \(RegistryLimits.changesPerInstallation) \
    = excluded.revision / \(RegistryLimits.changesPerInstallation))
    """
}

extension Installation {
  /// Adds the times of reports that changed nothing.
  mutating func add(_ sighting: Sighting) {
    guard areOfSameInstallation(revision, sighting.revision) else { return }
    reportedAt = [reportedAt, sighting.reportedAt].compactMap { $0 }.max()
    for kind in Sighting.kinds {
      guard let known = credentials[kind]?.presentedAt, let time = sighting.presented[kind]
      else { continue }
      credentials[kind]?.presentedAt = max(known, time)
    }
  }
}

/// Whether two revisions are of the same installation. If it was deleted and made anew under its
/// id, they are not (``Installation/firstRevision(_:)``).
private func areOfSameInstallation(_ one: Int64, _ other: Int64) -> Bool {
  one / RegistryLimits.changesPerInstallation == other / RegistryLimits.changesPerInstallation
}

/// Writes sightings, in the order of all writers. Each column keeps the newer of its two values; if
/// the row is of an installation that had the id before, nothing of it is kept. A row is left alone
/// and not returned if it has something newer than what is written (a faster writer):
///
/// | the row has | so this was decided too early |
/// |---|---|
/// | a later revision | nothing changed by the report, or so it seemed |
/// | a later report | the report is older than that |
/// | a later report with the token | the answer of APNs is older than that |
///
/// Example: the installation says English. A report of 12:02 that says French comes to one
/// instance, and a report of 12:05 that says English comes to another. Both write this row, so one
/// waits for the other. If the report of 12:05 is first, the row has a later report than 12:02:
/// that of 12:02 is decided again, and is stale. If the report of 12:02 is first, the row has a
/// later revision than the report of 12:05 knows: that report is decided again, and changes the
/// language back.
///
/// A comparison with a column that is NULL is neither true nor false, so `IS NOT TRUE` lets it
/// pass: a time that nobody knows forbids nothing.
package struct WriteSightings: Statement {
  package typealias Row = InstallationKey
  package static let sql: String = {
    let newest = Sighting.columns.split(separator: ", ").map {
      """
      \($0) = greatest(CASE WHEN \(Sighting.areOfSameInstallation) THEN s.\($0) END, \
      excluded.\($0))
      """
    }
    let newer = Sighting.kinds.map(\.rawValue)
      .map { " OR s.\($0)_presented_at > excluded.\($0)_dead_since" }.joined()
    return """
      INSERT INTO sighting AS s (app_id, installation_id, \(Sighting.columns))
      SELECT * FROM \(Sighting.batch) ORDER BY app_id, installation_id
      ON CONFLICT (app_id, installation_id) DO UPDATE SET \(newest.joined(separator: ", "))
      WHERE NOT \(Sighting.areOfSameInstallation)
        OR (s.revision > excluded.revision OR s.reported_at > excluded.reported_at\(newer))
          IS NOT TRUE
      RETURNING app_id, installation_id
      """
  }()

  /// At most one entry of an installation.
  package let sightings: [Sighting]

  package func bind(to parameters: inout Parameters) {
    parameters.append(column: sightings.map(\.installation.appID))
    parameters.append(column: sightings.map(\.installation.id.uuid))
    parameters.append(column: sightings.map(\.revision))
    parameters.append(column: sightings.map(\.reportedAt))
    for kind in Sighting.kinds {
      parameters.append(column: sightings.map { $0.presented[kind] })
      parameters.append(column: sightings.map { $0.deadSince[kind] })
    }
  }
}

/// Reads the sightings of installations.
struct LoadSightings: KeyedStatement {
  static let sql = """
    SELECT app_id, installation_id, \(Sighting.columns)
    FROM unnest($1::int4[], $2::uuid[]) AS keys (app_id, installation_id)
    JOIN sighting USING (app_id, installation_id)
    WHERE sighting.app_id = ANY ($3)
    """

  let keys: [InstallationKey]

  func bind(to parameters: inout Parameters) { parameters.append(keys) }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Sighting {
    var sighting = Sighting(
      installation: try InstallationKey(row: &row), revision: try row.next(),
      reportedAt: try row.next())
    for kind in Sighting.kinds {
      sighting.presented[kind] = try row.next()
      sighting.deadSince[kind] = try row.next()
    }
    return sighting
  }

  static func key(of row: Sighting) -> InstallationKey { row.installation }
}

/// Finds the installations that a report left as they were: those that still have the revision that
/// it saw. Meanwhile another writer may have changed an installation without a sighting, or deleted
/// it.
struct FindUnchanged: Statement {
  typealias Row = InstallationKey
  static let sql = """
    SELECT app_id, installation_id
    FROM unnest($1::int4[], $2::uuid[], $3::int8[]) AS x (app_id, installation_id, revision)
    JOIN installation AS i USING (app_id, installation_id)
    WHERE i.app_id = ANY ($4) AND i.revision = x.revision
    """

  let sightings: [Sighting]

  func bind(to parameters: inout Parameters) {
    let apps = sightings.map(\.installation.appID)
    parameters.append(column: apps)
    parameters.append(column: sightings.map(\.installation.id.uuid))
    parameters.append(column: sightings.map(\.revision))
    parameters.append(Array(Set(apps)))
  }
}

package enum LeftOverSightings {
  /// Deletes the rows of installations that are gone. If an installation of the id is made
  /// meanwhile, it writes over such a row, with a revision of its own: that row stays.
  ///
  /// Not together with the installation: a report that is under way would not find a newer one.
  package static let deletion = """
    DELETE FROM sighting AS s USING (
      SELECT app_id, installation_id, revision FROM sighting AS known
      WHERE NOT EXISTS (
        SELECT FROM installation AS i
        WHERE i.app_id = known.app_id AND i.installation_id = known.installation_id)
    ) AS left_over
    WHERE s.app_id = left_over.app_id AND s.installation_id = left_over.installation_id
      AND s.revision = left_over.revision
    """
}
