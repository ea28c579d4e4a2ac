package import JSON
package import Postgres

/// A build of an app that devices report, and the number of these devices.
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

extension Command where Self == Query<SeenBuild> {
  /// The builds that devices report and that have no catalog, the builds of the most devices first.
  ///
  /// It reads all rows of the app once; run it apart from requests.
  package static func buildsWithoutCatalog(appID: Int32) -> Self {
    Query(
      """
      SELECT app_build, app_version, count(*) FROM installation
      WHERE app_id = \(appID) AND (app_build IS NOT NULL OR app_version IS NOT NULL)
        AND coalesce(app_build, '') NOT IN (SELECT version FROM catalog WHERE app_id = \(appID))
        AND coalesce(app_version, '') NOT IN (SELECT version FROM catalog WHERE app_id = \(appID))
      GROUP BY 1, 2 ORDER BY 3 DESC, 1 DESC, 2 DESC
        LIMIT \(constant: ContentLimits.buildsWithoutCatalog)
      """, into: SeenBuild.init)
  }
}

extension Command where Self == Query<(build: String?, version: String?)> {
  /// The builds of the devices that called last, each once.
  ///
  /// Not of all devices: that would read a million rows each time a message is looked at.
  package static func recentBuilds(appID: Int32) -> Self {
    Query(
      """
      SELECT DISTINCT app_build, app_version FROM (
        SELECT app_build, app_version FROM installation WHERE app_id = \(appID)
        ORDER BY last_seen_at DESC LIMIT \(constant: ContentLimits.recentDevices)
      ) AS recent
      """
    ) { row in (try row.next(), try row.next()) }
  }
}
