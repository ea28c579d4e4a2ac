import FoundationEssentials
import Postgres

/// Writes installations that are new (revision 1). One that exists by now (a faster writer) is left
/// alone and not returned. No installation may occur twice in a batch.
struct InsertInstallations: Statement {
  static let sql = """
    INSERT INTO installation (\(InstallationBatch.names))
    SELECT \(InstallationBatch.values.joined(separator: ", "))
    FROM \(InstallationBatch.source) AS x
    ON CONFLICT (app_id, installation_id) DO NOTHING
    RETURNING app_id, installation_id
    """
  let installations: [Installation]

  func bind(to parameters: inout Parameters) {
    InstallationBatch.bind(installations, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> InstallationKey {
    try InstallationKey(row: &row)
  }
}

/// Writes new states of installations, each behind the revision before it. A row whose stored
/// revision is another one (a faster writer) is left alone and not returned. So is one that is
/// gone: it must not come back, as its tokens were given up with it. No installation may occur
/// twice in a batch.
struct UpdateInstallations: Statement {
  static let sql: String = {
    let columns = zip(InstallationBatch.columns, InstallationBatch.values)
    let updates = columns.filter(\.0.isUpdated).map { "\($0.name) = \($1)" }
    return """
      UPDATE installation SET \(updates.joined(separator: ", "))
      FROM \(InstallationBatch.source) AS x
      WHERE installation.app_id = x.app_id
        AND installation.installation_id = x.installation_id
        AND installation.revision = x.revision - 1
      RETURNING installation.app_id, installation.installation_id
      """
  }()
  let installations: [Installation]

  func bind(to parameters: inout Parameters) {
    InstallationBatch.bind(installations, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> InstallationKey {
    try InstallationKey(row: &row)
  }
}

/// Whole rows of a batch, as both writes bind them: one array per column.
private enum InstallationBatch {
  static let columns = InstallationColumn.all + [InstallationColumn.derived]
  static let names = columns.map(\.name).joined(separator: ", ")

  /// The columns of `x`, in the types of the row.
  static let values = columns.map { column in
    column.cast.map { "x.\(column.name)::\($0)" } ?? "x.\(column.name)"
  }

  /// One order for all writers, so that two batches cannot wait for each other in a circle.
  static let source: String = {
    let arrays = columns.enumerated().map { "$\($0 + 1)::\($1.type)[]" }
    return """
      (
        SELECT * FROM unnest(\(arrays.joined(separator: ", "))) AS keys (\(names))
        ORDER BY app_id, installation_id
      )
      """
  }()

  static func bind(_ installations: [Installation], to parameters: inout Parameters) {
    for column in columns { column.bind(installations, &parameters) }
  }
}

/// Notes that unchanged installations called.
struct TouchInstallations: Statement {
  static let sql = """
    UPDATE installation SET last_seen_at = x.seen_at
    FROM (
      SELECT * FROM unnest($1::int4[], $2::uuid[], $3::timestamptz[])
        AS keys (app_id, installation_id, seen_at)
      ORDER BY app_id, installation_id
    ) AS x
    WHERE installation.app_id = x.app_id
      AND installation.installation_id = x.installation_id
      AND installation.last_seen_at < x.seen_at
    """
  let installations: [Installation]

  func bind(to parameters: inout Parameters) {
    parameters.append(column: installations.map(\.appID))
    parameters.append(column: installations.map(\.id.uuid))
    parameters.append(column: installations.map(\.lastSeenAt))
  }
}

/// Deletes an installation whose state is still the one that was read; returns its key if so.
struct DeleteInstallation: Statement {
  static let sql = """
    DELETE FROM installation WHERE app_id = $1 AND installation_id = $2 AND revision = $3
    RETURNING app_id, installation_id
    """
  let appID: Int32
  let id: InstallationID
  let revision: Int64

  func bind(to parameters: inout Parameters) {
    parameters.append(appID)
    parameters.append(id.uuid)
    parameters.append(revision)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> InstallationKey {
    try InstallationKey(row: &row)
  }
}

/// A page of installations, oldest first. It asks for one more than the limit: that one says
/// whether there is a next page.
struct ListInstallations: Statement {
  static let isPlannedEachTime = true
  static let sql = """
    SELECT \(InstallationColumn.selection) FROM installation
    WHERE app_id = $1
      AND (created_at, installation_id) > ($2, $3)
      AND ($4::text IS NULL OR user_id = $4)
      AND ($5::text IS NULL OR language_ranges @> ARRAY[$5])
      AND ($6::uuid[] IS NULL OR installation_id = ANY ($6))
    ORDER BY created_at, installation_id
    LIMIT $7
    """
  let appID: Int32
  /// The last row of the page before.
  var after = TimeCursor.start
  /// Only this person's.
  var userID: String?
  /// Only those with a language in this range (RFC 4647, section 3.3.1).
  var language: String?
  /// Only these, as found by ``FindTokenOwners``.
  var ids: [InstallationID]?
  /// Rows of a page.
  let limit: Int

  func bind(to parameters: inout Parameters) {
    parameters.append(appID)
    parameters.append(after.time)
    parameters.append(after.id)
    parameters.append(userID)
    parameters.append(language.map(languageRange))
    parameters.append(ids.map { $0.map(\.uuid) })
    parameters.append(Int64(limit + 1))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Installation {
    try Installation(row: &row)
  }
}
