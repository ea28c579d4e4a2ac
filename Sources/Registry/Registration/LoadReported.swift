import Postgres

/// What a report is looked up by: its installation, and the person that it names.
struct ReportedKey: Hashable, Sendable {
  var installation: InstallationKey
  var user: UserKey?
}

/// Reads the installation of a report, and the language chosen for the person whom the report
/// names, unless the installation is that person's already.
struct LoadReported: KeyedStatement {
  struct Row: Sendable {
    var key: ReportedKey
    var installation: Installation?
    var language: String?
  }

  static let sql = text(from: "installation")

  /// Reads the installations first, as Citus cannot join rows that may be missing. This is for
  /// calls that come before the first connection has said whether Citus is there.
  static let distributedSQL: String? = """
    WITH found AS MATERIALIZED (\(FindInstallations.sql))
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

  /// Where Citus spreads the installations, languages have a statement of their own: Citus cannot
  /// join their table, which is on the coordinator, with one that is spread over the servers.
  static func read(
    _ keys: [ReportedKey], from database: PostgresClient
  ) async throws(PostgresError) -> [Row] {
    guard database.isDistributed else { return try await database.read(Self(keys: keys)) }
    let users = Set(keys.compactMap(\.user))
    let chosen =
      users.isEmpty ? [] : try await database.read(LoadUserLanguages(users: Array(users)))
    let stored = try await LoadInstallations.read(
      Array(Set(keys.map(\.installation))), from: database)
    let languages = Dictionary(uniqueKeysWithValues: chosen.map { ($0.user, $0.language) })
    let installations = Dictionary(
      uniqueKeysWithValues: stored.map { (LoadInstallations.key(of: $0), $0) })
    return keys.map { key in
      Row(
        key: key, installation: installations[key.installation],
        language: key.user.flatMap { languages[$0] })
    }
  }
}
