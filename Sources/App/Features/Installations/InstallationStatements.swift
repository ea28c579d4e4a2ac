import FoundationEssentials
import Postgres

/// Writes new states of installations, each behind the revision before it. A row whose stored
/// revision is another one (a faster writer) is left alone and not returned; so is a new one
/// (revision 1) that exists by now. No installation may occur twice in a batch.
struct UpsertInstallations: Statement {
  private static let columns = InstallationColumn.all + [InstallationColumn.derived]

  static let sql: String = {
    let names = columns.map(\.name).joined(separator: ", ")
    let values = columns.map { column in
      column.cast.map { "x.\(column.name)::\($0)" } ?? "x.\(column.name)"
    }
    let arrays = columns.enumerated().map { "$\($0 + 1)::\($1.type)[]" }
    let updates = columns.filter(\.isUpdated).map { "\($0.name) = excluded.\($0.name)" }
    // One order for all writers, so that two batches cannot wait for each other in a circle.
    return """
      INSERT INTO installation (\(names))
      SELECT \(values.joined(separator: ", "))
      FROM unnest(\(arrays.joined(separator: ", "))) AS x (\(names))
      ORDER BY x.app_id, x.installation_id
      ON CONFLICT (app_id, installation_id) DO UPDATE
      SET \(updates.joined(separator: ", "))
      WHERE installation.revision = excluded.revision - 1
      RETURNING app_id, installation_id
      """
  }()

  let installations: [Installation]

  func bind(to parameters: inout Parameters) {
    for column in Self.columns { column.bind(installations, &parameters) }
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> InstallationKey {
    try InstallationKey(row: &row)
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
