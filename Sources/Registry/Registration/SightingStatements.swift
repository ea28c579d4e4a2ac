package import Postgres

/// Whether a row and what is written over it are of one installation, and not of two that had the
/// name one after the other: as ``isOfOneLife(_:_:)``.
private let isOfOneLife = """
  (s.revision / \(RegistryLimits.changesPerLife) \
  = excluded.revision / \(RegistryLimits.changesPerLife))
  """

private let kinds = CredentialKind.allCases.map(\.rawValue)

/// What a row says once a report was written down in it.
struct SightingRow: Sendable {
  let installation: InstallationKey
  /// The newest revision that is known here.
  let revision: Int64
  /// The last one that a report with a time has made.
  let reportRevision: Int64
}

/// Reports that changed nothing on their way into the table, one of an installation at most.
private enum SightingBatch {
  static let columns = "reported_at, " + kinds.map { "\($0)_presented_at" }.joined(separator: ", ")

  /// In the one order of all writers.
  static let rows: String = {
    let types = (4...4 + kinds.count).map { ", $\($0)::timestamptz[]" }.joined()
    return """
      SELECT * FROM unnest($1::int4[], $2::uuid[], $3::int8[]\(types))
        AS x (app_id, installation_id, revision, \(columns))
      WHERE app_id IN (SELECT id FROM app) ORDER BY app_id, installation_id
      """
  }()

  /// What a row is set to: the newest of what it has and what the batch has.
  /// - Parameter new: The name of the batch's row.
  static func newest(_ new: String) -> String {
    "revision, \(columns)".split(separator: ", ").map {
      "\($0) = greatest(s.\($0), \(new).\($0))"
    }.joined(separator: ", ")
  }

  static let returned = """
    RETURNING s.app_id, s.installation_id, s.revision, coalesce(s.report_revision, 0)
    """

  static func bind(_ sightings: [Sighting], to parameters: inout Parameters) {
    parameters.append(column: sightings.map(\.installation.appID))
    parameters.append(column: sightings.map(\.installation.id.uuid))
    parameters.append(column: sightings.map(\.revision))
    parameters.append(column: sightings.map(\.reportedAt))
    for kind in CredentialKind.allCases {
      parameters.append(column: sightings.map { $0.presented[kind] })
    }
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> SightingRow {
    SightingRow(
      installation: try InstallationKey(row: &row), revision: try row.next(),
      reportRevision: try row.next())
  }
}

/// Writes reports down that changed nothing, of installations that have a row: nearly all. That
/// writes 100 bytes of log a row and not 160, as ``InsertSightings`` does. Others are not returned.
struct UpdateSightings: Statement {
  static let sql = """
    UPDATE sighting AS s SET \(SightingBatch.newest("x"))
    FROM (\(SightingBatch.rows)) AS x
    WHERE s.app_id = x.app_id AND s.installation_id = x.installation_id
      AND s.revision / \(RegistryLimits.changesPerLife)
        = x.revision / \(RegistryLimits.changesPerLife)
    \(SightingBatch.returned)
    """
  let sightings: [Sighting]

  func bind(to parameters: inout Parameters) { SightingBatch.bind(sightings, to: &parameters) }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> SightingRow {
    try SightingBatch.decode(&row)
  }
}

/// The same of any installation. A row of another one that had the name is left as it is and not
/// returned, and nothing is written of an app that is gone.
struct InsertSightings: Statement {
  static let sql = """
    INSERT INTO sighting AS s (app_id, installation_id, revision, \(SightingBatch.columns))
    \(SightingBatch.rows)
    ON CONFLICT (app_id, installation_id) DO UPDATE SET \(SightingBatch.newest("excluded"))
    WHERE \(isOfOneLife)
    \(SightingBatch.returned)
    """
  let sightings: [Sighting]

  func bind(to parameters: inout Parameters) { SightingBatch.bind(sightings, to: &parameters) }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> SightingRow {
    try SightingBatch.decode(&row)
  }
}

/// What is written of reports that changed nothing.
struct LoadSightings: KeyedStatement {
  static let sql: String = {
    let times = kinds.map { ", \($0)_presented_at, \($0)_dead_since" }.joined()
    return """
      SELECT app_id, installation_id, revision, reported_at\(times)
      FROM unnest($1::int4[], $2::uuid[]) AS keys (app_id, installation_id)
      JOIN sighting USING (app_id, installation_id)
      """
  }()

  let keys: [InstallationKey]

  func bind(to parameters: inout Parameters) {
    parameters.append(column: keys.map(\.appID))
    parameters.append(column: keys.map(\.id.uuid))
  }

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (installation: InstallationKey, seen: Seen) {
    let key = try InstallationKey(row: &row)
    var seen = Seen(revision: try row.next(), reportedAt: try row.nextOptional())
    for kind in CredentialKind.allCases {
      seen.presented[kind] = try row.nextOptional()
      seen.deadSince[kind] = try row.nextOptional()
    }
    return (key, seen)
  }

  static func key(of row: (installation: InstallationKey, seen: Seen)) -> InstallationKey {
    row.installation
  }
}

/// What a change of an installation must not be older than: written with it, or not at all.
package struct SightingClaim: Sendable, Hashable {
  package var installation: InstallationKey
  /// That of the changed row.
  package var revision: Int64
  /// The event time of the report; no newer one may have been there.
  package var reportedAt: Timestamp?
  /// Since when APNs says that a token is dead; the app may not have brought it later.
  package var deadSince = PerKind<Timestamp>()
}

/// Notes the times of changes, each unless a sighting is newer: that change is decided anew.
/// Whoever writes a sighting at the same moment waits for this row, or this waits for them, so one
/// of the two learns of the other.
package struct ClaimSightings: Statement {
  package static let sql: String = {
    let columns =
      "report_revision, reported_at, "
      + kinds.map { "\($0)_dead_since" }.joined(separator: ", ")
    let types = ", $4::int8[]" + (5...5 + kinds.count).map { ", $\($0)::timestamptz[]" }.joined()
    let noted = kinds.map { kind in
      """
      , \(kind)_presented_at = CASE WHEN \(isOfOneLife) THEN s.\(kind)_presented_at END,
        \(kind)_dead_since = coalesce(excluded.\(kind)_dead_since,
          CASE WHEN \(isOfOneLife) THEN s.\(kind)_dead_since END)
      """
    }
    let newer = kinds.map { " OR s.\($0)_presented_at > excluded.\($0)_dead_since" }
    return """
      INSERT INTO sighting AS s (app_id, installation_id, revision, \(columns))
      SELECT * FROM unnest($1::int4[], $2::uuid[], $3::int8[]\(types))
        AS x (app_id, installation_id, revision, \(columns))
      ORDER BY app_id, installation_id
      ON CONFLICT (app_id, installation_id) DO UPDATE
      SET revision = excluded.revision, report_revision = coalesce(excluded.report_revision,
          CASE WHEN \(isOfOneLife) THEN s.report_revision END),
        reported_at = greatest(
          CASE WHEN \(isOfOneLife) THEN s.reported_at END, excluded.reported_at)\(noted.joined())
      WHERE NOT \(isOfOneLife)
        OR (s.reported_at > excluded.reported_at\(newer.joined())) IS NOT TRUE
      RETURNING app_id, installation_id
      """
  }()

  /// One of an installation at most.
  package let claims: [SightingClaim]

  package init(claims: [SightingClaim]) {
    self.claims = claims
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(column: claims.map(\.installation.appID))
    parameters.append(column: claims.map(\.installation.id.uuid))
    parameters.append(column: claims.map(\.revision))
    parameters.append(column: claims.map { $0.reportedAt == nil ? nil : $0.revision })
    parameters.append(column: claims.map(\.reportedAt))
    for kind in CredentialKind.allCases {
      parameters.append(column: claims.map { $0.deadSince[kind] })
    }
  }

  package static func decode(_ row: inout RowReader) throws(PostgresError) -> InstallationKey {
    try InstallationKey(row: &row)
  }
}

/// Has a row of each installation, and whoever writes one wait: before the rows are deleted.
struct HoldSightings: Statement {
  static let sql = """
    INSERT INTO sighting AS s (app_id, installation_id, revision)
    SELECT app_id, installation_id, 0
    FROM unnest($1::int4[], $2::uuid[]) AS x (app_id, installation_id)
    WHERE app_id IN (SELECT id FROM app)
    ORDER BY app_id, installation_id
    ON CONFLICT (app_id, installation_id) DO UPDATE SET revision = s.revision
    """
  let keys: [InstallationKey]

  func bind(to parameters: inout Parameters) { LoadSightings(keys: keys).bind(to: &parameters) }
}

/// Deletes sightings that are not of the installation that has the name now.
struct DeleteSightings: Statement {
  static let sql = """
    DELETE FROM sighting AS s
    USING unnest($1::int4[], $2::uuid[], $3::int8[]) AS x (app_id, installation_id, revision)
    WHERE s.app_id = x.app_id AND s.installation_id = x.installation_id
      AND s.revision / \(RegistryLimits.changesPerLife)
        IS DISTINCT FROM x.revision / \(RegistryLimits.changesPerLife)
    """
  let keys: [InstallationKey]
  /// The revisions of the installations that are there.
  var revisions: [InstallationKey: Int64] = [:]

  func bind(to parameters: inout Parameters) {
    LoadSightings(keys: keys).bind(to: &parameters)
    parameters.append(column: keys.map { revisions[$0] })
  }
}

/// The revisions of installations that are there.
struct LoadRevisions: Statement {
  static let sql = """
    SELECT app_id, installation_id, revision
    FROM unnest($1::int4[], $2::uuid[]) AS keys (app_id, installation_id)
    JOIN installation USING (app_id, installation_id)
    """
  static let distributedSQL: String? = """
    SELECT app_id, installation_id, revision FROM installation
    WHERE app_id = ANY ($1) AND installation_id = ANY ($2)
    """
  let keys: [InstallationKey]

  func bind(to parameters: inout Parameters) { LoadSightings(keys: keys).bind(to: &parameters) }

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (installation: InstallationKey, revision: Int64) {
    (try InstallationKey(row: &row), try row.next())
  }
}
