internal import CLibpq

/// The one database of a private cluster.
enum ClusterDatabase {
  /// The superuser that `initdb` makes; the database has the same name.
  static let user = "postilion"

  /// Creates the database unless it is there.
  /// - Returns: the connection string to it.
  static func ensure(
    socketDirectory: String, port: String
  ) throws(EmbeddedPostgresError) -> String {
    let wanted = connectionString(socketDirectory: socketDirectory, port: port)
    if execute("SELECT 1", on: wanted) == nil { return wanted }
    let maintenance = connectionString(
      to: "postgres", socketDirectory: socketDirectory, port: port)
    if let reason = execute("CREATE DATABASE \(user)", on: maintenance) {
      throw .databaseNotCreated(reason: reason)
    }
    return wanted
  }

  /// How a database of the cluster is reached.
  static func connectionString(
    to database: String = user, socketDirectory: String,
    port: String = ClusterSettings.port
  ) -> String {
    Postgres.connectionString([
      "host": socketDirectory, "port": port, "user": user, "dbname": database,
    ])
  }

  /// Runs one command on a connection of its own; returns what went wrong.
  static func execute(_ command: String, on connectionString: String) -> String? {
    let connection = PQconnectdb(connectionString)
    defer { PQfinish(connection) }
    guard PQstatus(connection) == CONNECTION_OK else { return message(of: connection) }
    let result = PQexec(connection, command)
    defer { PQclear(result) }
    let status = PQresultStatus(result)
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK
      ? nil : message(of: connection)
  }

  private static func message(of connection: OpaquePointer?) -> String {
    let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
    return text.split(separator: "\n").first.map(String.init) ?? "libpq gave no reason"
  }
}
