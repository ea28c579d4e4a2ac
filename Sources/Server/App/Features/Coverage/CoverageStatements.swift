import Content
import Postgres
import Registry

extension Command where Self == Query<(languages: [String], installations: Int64)> {
  /// Lists of preferred languages, and how many installations have each list. An installation
  /// counts if a filter lets it through and it uses the catalog. For the server's catalog, every
  /// installation counts that the filter lets through.
  ///
  /// An installation uses the catalog of its build, or the catalog of its version if there is none
  /// for its build. The rows of the app are read once; the lists, far fewer, are read as they come.
  static func countLanguageLists(
    key: CatalogKey, _ filter: InstallationFilter, _ ids: [InstallationID]?
  ) -> Self {
    let uses: SQL =
      key.version == CatalogKey.serverVersion
      ? "true"
      : """
      (app_build = \(key.version) OR (app_version = \(key.version) AND (app_build IS NULL
        OR app_build NOT IN (SELECT version FROM catalog WHERE app_id = \(key.appID)))))
      """
    return Query(
      """
      SELECT CASE WHEN language_override IS NULL THEN languages
          ELSE array_prepend(language_override, languages) END, count(*)
      FROM installation WHERE \(filter.condition(ids)) AND \(uses)
      GROUP BY 1
      """
    ) { row in (try row.next(), try row.next()) }
  }
}
