import FoundationEssentials
import Postgres

/// Installations, oldest first: a page and one row more, or all.
struct ListInstallations: Statement {
  static let isPlannedEachTime = true
  static let sql = """
    SELECT \(InstallationColumn.selection) FROM installation
    WHERE app_id = $1
      AND (created_at, installation_id) > ($2, $3)
      AND ($4::text IS NULL OR user_id = $4)
      AND ($5::text IS NULL OR facets @> ARRAY[$5])
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
  /// Rows of a page; `nil` for all.
  let limit: Int?

  func bind(to parameters: inout Parameters) {
    parameters.append(appID)
    parameters.append(after.time)
    parameters.append(after.id)
    parameters.append(userID)
    parameters.append(language.map { Facet.language($0, of: appID).text })
    parameters.append(ids.map { $0.map(\.uuid) })
    parameters.append(limit.map { Int64($0 + 1) })
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Installation {
    try Installation(row: &row)
  }
}
