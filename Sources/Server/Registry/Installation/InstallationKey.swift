package import Postgres

/// The primary key of `installation`, which writes return so that a lost race shows.
package struct InstallationKey: Hashable, Sendable, RowDecodable {
  package var appID: Int32
  package var id: InstallationID

  /// Reads `app_id, installation_id`.
  package init(row: inout RowReader) throws(PostgresError) {
    appID = try row.next()
    id = try row.next()
  }

  package init(appID: Int32, id: InstallationID) {
    self.appID = appID
    self.id = id
  }
}

extension Installation {
  package var key: InstallationKey { InstallationKey(appID: appID, id: id) }
}
