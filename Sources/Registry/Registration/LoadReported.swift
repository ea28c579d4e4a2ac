import Postgres

/// What a report is looked up by: its installation, and the person that it names.
struct ReportedKey: Hashable, Sendable {
  var installation: InstallationKey
  var user: UserKey?
}

/// What a report is decided on: the installation as it is stored, and the language chosen for the
/// person that it names, unless the installation is that person's already.
struct LoadReported: KeyedStatement {
  struct Row: Sendable {
    var key: ReportedKey
    var installation: Installation?
    var language: String?
  }

  static let sql = text(from: "installation")

  /// Citus reads the installations first: it joins no rows that may be missing.
  static let distributedSQL: String? = """
    WITH found AS MATERIALIZED (
      SELECT * FROM installation WHERE app_id = ANY ($1) AND installation_id = ANY ($2)
    )
    \(text(from: "found AS installation"))
    """

  private static func text(from source: String) -> String {
    """
    SELECT keys.app_id, keys.installation_id, keys.user_id, chosen.language,
      installation.revision IS NOT NULL, \(InstallationColumn.qualifiedSelection)
    FROM unnest($1::int4[], $2::uuid[], $3::text[]) AS keys (app_id, installation_id, user_id)
    LEFT JOIN \(source) ON installation.app_id = keys.app_id
      AND installation.installation_id = keys.installation_id
    LEFT JOIN user_language AS chosen ON chosen.app_id = keys.app_id
      AND chosen.user_id
        = CASE WHEN installation.user_id IS DISTINCT FROM keys.user_id THEN keys.user_id END
    WHERE installation.revision IS NOT NULL OR chosen.language IS NOT NULL
    """
  }

  let keys: [ReportedKey]

  func bind(to parameters: inout Parameters) {
    parameters.append(column: keys.map(\.installation.appID))
    parameters.append(column: keys.map(\.installation.id.uuid))
    parameters.append(column: keys.map(\.user?.id))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    let installation = try InstallationKey(row: &row)
    let user = try row.nextOptional(String.self).map {
      UserKey(appID: installation.appID, id: $0)
    }
    let key = ReportedKey(installation: installation, user: user)
    let language = try row.nextOptional(String.self)
    let isStored: Bool = try row.next()
    return Row(
      key: key, installation: isStored ? try Installation(row: &row) : nil, language: language)
  }

  static func key(of row: Row) -> ReportedKey { row.key }
}
