internal import CLibpq

/// A database of the scratch cluster.
public struct ScratchDatabase: Sendable {
  /// Its name.
  public let name: String
  /// Its connection string.
  public let conninfo: String

  /// What the server said against a query.
  public struct Refusal: Error, CustomStringConvertible {
    /// The server's message.
    public let description: String
  }

  /// Runs commands on a connection of their own.
  /// - Returns: The rows of the last one, as text.
  @discardableResult
  public func query(_ commands: String) async throws -> [[String?]] {
    try await blocking { [conninfo] in
      let connection = PQconnectdb(conninfo)
      defer { PQfinish(connection) }
      guard PQstatus(connection) == CONNECTION_OK else {
        throw Refusal(description: String(cString: PQerrorMessage(connection)))
      }
      let result = PQexec(connection, commands)
      defer { PQclear(result) }
      guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
        throw Refusal(description: String(cString: PQerrorMessage(connection)))
      }
      return (0..<PQntuples(result)).map { row in
        (0..<PQnfields(result)).map { column in
          PQgetisnull(result, row, column) == 1
            ? nil : PQgetvalue(result, row, column).map { String(cString: $0) }
        }
      }
    }
  }

  /// The one value of a query that has one.
  public func value(_ query: String) async throws -> String? {
    try await self.query(query).first?.first ?? nil
  }
}
