package import JSON
package import Postgres

/// A build of an app that devices report, and how many do.
package struct SeenBuild: JSONWritable, Sendable {
  package var build: String?
  package var version: String?
  package var devices: Int64

  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("app_build", build)
      writer.member("app_version", version)
      writer.member("devices", devices)
    }
  }
}

/// The builds that devices report and that have no catalog, those of the most devices first.
///
/// It reads all rows of the app once; run it apart from requests.
package struct BuildsWithoutCatalog: Statement {
  package static let isPlannedEachTime = true
  package static let sql = """
    SELECT app_build, app_version, count(*) FROM installation
    WHERE app_id = $1 AND (app_build IS NOT NULL OR app_version IS NOT NULL)
      AND coalesce(app_build, '') NOT IN (SELECT version FROM catalog WHERE app_id = $1)
      AND coalesce(app_version, '') NOT IN (SELECT version FROM catalog WHERE app_id = $1)
    GROUP BY 1, 2 ORDER BY 3 DESC, 1 DESC, 2 DESC LIMIT \(ContentLimits.buildsWithoutCatalog)
    """
  package let appID: Int32

  package init(appID: Int32) {
    self.appID = appID
  }

  package func bind(to parameters: inout Parameters) { parameters.append(appID) }

  package static func decode(_ row: inout RowReader) throws(PostgresError) -> SeenBuild {
    SeenBuild(
      build: try row.nextOptional(), version: try row.nextOptional(), devices: try row.next())
  }
}

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
