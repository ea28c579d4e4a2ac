import Postgres

/// The primary key of `installation`, which writes return so that a lost race shows.
struct InstallationKey: Hashable, Sendable {
  var appID: Int32
  var id: InstallationID

  /// Reads `app_id, installation_id`.
  init(row: inout RowReader) throws(PostgresError) {
    appID = try row.next()
    id = InstallationID(try row.next())
  }

  /// A key.
  init(appID: Int32, id: InstallationID) {
    self.appID = appID
    self.id = id
  }
}
