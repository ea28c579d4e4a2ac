import DeviceProfile
package import Postgres

private let kinds = CredentialKind.withColumns.map(\.rawValue)

/// Times that are known of an installation and do not stand in its row: a row of the table
/// `sighting`. Reports that changed nothing leave them there, and so does every change that must
/// not be older than such a report.
package struct InstallationTimes: Sendable, Hashable {
  package var installation: InstallationKey
  /// The revision that the installation had then. One that was deleted and made anew has another
  /// range of revisions, so times of the former one are not taken for its own.
  package var revision: Int64
  /// The last revision that a report with a time has made.
  package var reportRevision: Int64?
  /// The newest `reported_at` of its reports.
  package var reportedAt: Timestamp?
  /// When tokens were last brought by reports that changed nothing.
  package var presented = PerKind<Timestamp>()
  /// For each token that an answer of APNs took out of use, also a refusal: the time from which the
  /// last such answer holds.
  package var deadSince = PerKind<Timestamp>()
}

extension InstallationTimes {
  fileprivate static let columns =
    "revision, report_revision, reported_at"
    + kinds.map { ", \($0)_presented_at, \($0)_dead_since" }.joined()

  /// A batch as rows, called `x`.
  fileprivate static let batch: String = {
    let types = (6...5 + 2 * kinds.count).map { ", $\($0)::timestamptz[]" }.joined()
    return """
      unnest($1::int4[], $2::uuid[], $3::int8[], $4::int8[], $5::timestamptz[]\(types))
        AS x (app_id, installation_id, \(columns))
      """
  }()

  /// Whether the row that is there and the one that is written over it are of one installation,
  /// like ``areOfSameInstallation(_:_:)``.
  fileprivate static let areOfSameInstallation = """
    (s.revision / \(RegistryLimits.changesPerInstallation) \
    = excluded.revision / \(RegistryLimits.changesPerInstallation))
    """

  /// Writes a batch, in the order of all writers. Each column keeps the newer of its two values; if
  /// the row is of an installation that had the id before, nothing of it is kept.
  fileprivate static let upsert: String = {
    let newest = columns.split(separator: ", ").map {
      "\($0) = greatest(CASE WHEN \(areOfSameInstallation) THEN s.\($0) END, excluded.\($0))"
    }.joined(separator: ", ")
    return """
      INSERT INTO sighting AS s (app_id, installation_id, \(columns))
      SELECT * FROM \(batch) ORDER BY app_id, installation_id
      ON CONFLICT (app_id, installation_id) DO UPDATE SET \(newest)
      """
  }()

  fileprivate static func bind(_ rows: [Self], to parameters: inout Parameters) {
    parameters.append(column: rows.map(\.installation.appID))
    parameters.append(column: rows.map(\.installation.id.uuid))
    parameters.append(column: rows.map(\.revision))
    parameters.append(column: rows.map(\.reportRevision))
    parameters.append(column: rows.map(\.reportedAt))
    for kind in CredentialKind.withColumns {
      parameters.append(column: rows.map { $0.presented[kind] })
      parameters.append(column: rows.map { $0.deadSince[kind] })
    }
  }
}

/// Stores reports that changed nothing, and returns the newest revisions that the table has.
struct WriteSightings: Statement {
  static let sql = """
    \(InstallationTimes.upsert)
    RETURNING app_id, installation_id, s.revision, s.report_revision
    """
  /// One of an installation at most.
  let sightings: [InstallationTimes]

  func bind(to parameters: inout Parameters) { InstallationTimes.bind(sightings, to: &parameters) }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> InstallationTimes {
    InstallationTimes(
      installation: try InstallationKey(row: &row), revision: try row.next(),
      reportRevision: try row.nextOptional())
  }
}

/// Notes the times of changes in the table `sighting`, in the transaction of the change. A change
/// whose time is older than a report that changed nothing, or whose answer of APNs is older than
/// the last report with the token, gets no row back: it is outrun, and decided again.
///
/// Example: a report of 12:02 is written while another instance stores the sighting of 12:05. Both
/// want the same row, so one waits for the other. If the sighting comes first, the change of 12:02
/// is outrun. If the change comes first, the sighting finds a newer revision, and the report of
/// 12:05 is taken once more.
///
/// A comparison with a column that is NULL is neither true nor false, so `IS NOT TRUE` lets it
/// pass: what nobody knows of forbids nothing.
package struct WriteTimeGuards: Statement {
  package typealias Row = InstallationKey
  package static let sql: String = {
    let newer = kinds.map { " OR s.\($0)_presented_at > excluded.\($0)_dead_since" }.joined()
    return """
      \(InstallationTimes.upsert)
      WHERE NOT \(InstallationTimes.areOfSameInstallation)
        OR (s.reported_at > excluded.reported_at\(newer)) IS NOT TRUE
      RETURNING app_id, installation_id
      """
  }()

  /// One of an installation at most.
  package let timeGuards: [InstallationTimes]

  package init(timeGuards: [InstallationTimes]) {
    self.timeGuards = timeGuards
  }

  package func bind(to parameters: inout Parameters) {
    InstallationTimes.bind(timeGuards, to: &parameters)
  }
}

/// Reads the stored times of reports that changed nothing.
struct LoadSightings: KeyedStatement {
  static let sql = """
    SELECT app_id, installation_id, \(InstallationTimes.columns)
    FROM unnest($1::int4[], $2::uuid[]) AS keys (app_id, installation_id)
    JOIN sighting USING (app_id, installation_id)
    """

  let keys: [InstallationKey]

  func bind(to parameters: inout Parameters) {
    parameters.append(column: keys.map(\.appID))
    parameters.append(column: keys.map(\.id.uuid))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> InstallationTimes {
    var sighting = InstallationTimes(
      installation: try InstallationKey(row: &row), revision: try row.next(),
      reportRevision: try row.nextOptional(), reportedAt: try row.nextOptional())
    for kind in CredentialKind.withColumns {
      sighting.presented[kind] = try row.nextOptional()
      sighting.deadSince[kind] = try row.nextOptional()
    }
    return sighting
  }

  static func key(of row: InstallationTimes) -> InstallationKey { row.installation }
}

/// Deletes the rows of installations that are deleted. A row that is stored at the same moment
/// stays, until maintenance finds it.
struct DeleteSightings: Statement {
  static let sql = """
    DELETE FROM sighting AS s
    USING unnest($1::int4[], $2::uuid[]) AS x (app_id, installation_id)
    WHERE s.app_id = x.app_id AND s.installation_id = x.installation_id
    """
  let keys: [InstallationKey]

  func bind(to parameters: inout Parameters) { LoadSightings(keys: keys).bind(to: &parameters) }
}
