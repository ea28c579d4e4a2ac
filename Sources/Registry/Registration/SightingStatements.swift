package import Postgres

private let kinds = CredentialKind.allCases.map(\.rawValue)

/// A row of `sighting`: what is known of an installation beside its own row.
package struct SightingRow: Sendable, Hashable {
  package var installation: InstallationKey
  /// Of the installation when this was written; it tells its life.
  package var revision: Int64
  /// The last one that a report with a time has made.
  package var reportRevision: Int64?
  /// The newest event time of its reports.
  package var reportedAt: Timestamp?
  /// When tokens were last brought by reports that changed nothing.
  package var presented = PerKind<Timestamp>()
  /// Since when APNs says that tokens are dead, by the last answer that took them out of use.
  package var deadSince = PerKind<Timestamp>()
}

extension SightingRow {
  fileprivate static let columns =
    "revision, report_revision, reported_at"
    + kinds.map { ", \($0)_presented_at, \($0)_dead_since" }.joined()

  /// The rows of a batch, as `x`.
  fileprivate static let batch: String = {
    let types = (6...5 + 2 * kinds.count).map { ", $\($0)::timestamptz[]" }.joined()
    return """
      unnest($1::int4[], $2::uuid[], $3::int8[], $4::int8[], $5::timestamptz[]\(types))
        AS x (app_id, installation_id, \(columns))
      """
  }()

  /// Whether the row that is there and the one that is written over it are of one installation, as
  /// ``isOfOneLife(_:_:)``.
  fileprivate static let isOfOneLife = """
    (s.revision / \(RegistryLimits.changesPerLife) \
    = excluded.revision / \(RegistryLimits.changesPerLife))
    """

  /// Writes a batch, in the one order of all writers: of each column the newer value, and nothing
  /// of another installation that had the name.
  fileprivate static let upsert: String = {
    let newest = columns.split(separator: ", ").map {
      "\($0) = greatest(CASE WHEN \(isOfOneLife) THEN s.\($0) END, excluded.\($0))"
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
    for kind in CredentialKind.allCases {
      parameters.append(column: rows.map { $0.presented[kind] })
      parameters.append(column: rows.map { $0.deadSince[kind] })
    }
  }
}

/// Writes reports down that changed nothing, and returns the newest revisions that are known.
struct WriteSightings: Statement {
  static let sql = """
    \(SightingRow.upsert)
    RETURNING app_id, installation_id, s.revision, s.report_revision
    """
  /// One of an installation at most.
  let sightings: [SightingRow]

  func bind(to parameters: inout Parameters) { SightingRow.bind(sightings, to: &parameters) }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> SightingRow {
    SightingRow(
      installation: try InstallationKey(row: &row), revision: try row.next(),
      reportRevision: try row.nextOptional())
  }
}

/// Notes the times of changes, each unless a report that changed nothing is newer, or brought the
/// token later: that change is decided anew. Whoever writes such a report down at the same moment
/// waits for this row, or this waits for them, so one of the two learns of the other.
package struct ClaimSightings: Statement {
  package static let sql: String = {
    let newer = kinds.map { " OR s.\($0)_presented_at > excluded.\($0)_dead_since" }.joined()
    return """
      \(SightingRow.upsert)
      WHERE NOT \(SightingRow.isOfOneLife)
        OR (s.reported_at > excluded.reported_at\(newer)) IS NOT TRUE
      RETURNING app_id, installation_id
      """
  }()

  /// One of an installation at most.
  package let claims: [SightingRow]

  package init(claims: [SightingRow]) {
    self.claims = claims
  }

  package func bind(to parameters: inout Parameters) { SightingRow.bind(claims, to: &parameters) }

  package static func decode(_ row: inout RowReader) throws(PostgresError) -> InstallationKey {
    try InstallationKey(row: &row)
  }
}

/// What is written of reports that changed nothing.
struct LoadSightings: KeyedStatement {
  static let sql = """
    SELECT app_id, installation_id, \(SightingRow.columns)
    FROM unnest($1::int4[], $2::uuid[]) AS keys (app_id, installation_id)
    JOIN sighting USING (app_id, installation_id)
    """

  let keys: [InstallationKey]

  func bind(to parameters: inout Parameters) {
    parameters.append(column: keys.map(\.appID))
    parameters.append(column: keys.map(\.id.uuid))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> SightingRow {
    var sighting = SightingRow(
      installation: try InstallationKey(row: &row), revision: try row.next(),
      reportRevision: try row.nextOptional(), reportedAt: try row.nextOptional())
    for kind in CredentialKind.allCases {
      sighting.presented[kind] = try row.nextOptional()
      sighting.deadSince[kind] = try row.nextOptional()
    }
    return sighting
  }

  static func key(of row: SightingRow) -> InstallationKey { row.installation }
}

/// Deletes the sightings of installations that go. One that is just being written stays, until
/// maintenance finds it.
struct DeleteSightings: Statement {
  static let sql = """
    DELETE FROM sighting AS s
    USING unnest($1::int4[], $2::uuid[]) AS x (app_id, installation_id)
    WHERE s.app_id = x.app_id AND s.installation_id = x.installation_id
    """
  let keys: [InstallationKey]

  func bind(to parameters: inout Parameters) { LoadSightings(keys: keys).bind(to: &parameters) }
}
