import Content
import Postgres
import Registry

/// Lists of preferred languages, and how many installations have each: of those that use a catalog
/// of the app, or of all for the server's.
///
/// An installation uses the catalog of its build, and that of its version when there is none of its
/// build. The rows of the app are read once; the lists, far fewer, are read as they come.
struct CountLanguageLists: ConditionedStatement {
  static func text(and condition: String) -> String {
    """
    SELECT CASE WHEN language_override IS NULL THEN languages
        ELSE array_prepend(language_override, languages) END, count(*)
    FROM installation
    WHERE app_id = $1 AND ($2 = '\(CatalogKey.serverVersion)' OR app_build = $2
      OR (app_version = $2 AND (app_build IS NULL
        OR app_build NOT IN (SELECT version FROM catalog WHERE app_id = $1))))\(condition)
    GROUP BY 1
    """
  }
  let key: CatalogKey
  /// Which of them, from `$3` on; `nil` for all.
  var condition: ConditionText?

  func bind(to parameters: inout Parameters) {
    parameters.append(key.appID, key.version)
    parameters.append(condition)
  }

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (languages: [String], installations: Int64) {
    (try row.next(), try row.next())
  }
}
