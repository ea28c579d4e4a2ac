package import Postgres

/// The builds of the devices that called last, each once.
///
/// Not of all devices: that would read a million rows each time a message is looked at.
package struct RecentBuilds: Statement {
  package static let sql = """
    SELECT DISTINCT app_build, app_version FROM (
      SELECT app_build, app_version FROM installation WHERE app_id = $1
      ORDER BY last_seen_at DESC LIMIT \(ContentLimits.recentDevices)
    ) AS recent
    """
  package let appID: Int32

  package init(appID: Int32) {
    self.appID = appID
  }

  package func bind(to parameters: inout Parameters) { parameters.append(appID) }

  package static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (build: String?, version: String?) {
    (try row.nextOptional(), try row.nextOptional())
  }
}
