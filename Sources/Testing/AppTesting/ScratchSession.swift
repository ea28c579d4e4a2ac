internal import CLibpq

/// A connection to a scratch database that stays: for transactions that a test holds open.
public actor ScratchSession {
  private var connection: OpaquePointer?

  /// Connects, with the rights of services.
  public init(_ database: ScratchDatabase) async throws {
    connection = PQconnectdb(database.conninfo)
  }

  isolated deinit { PQfinish(connection) }

  /// Runs commands.
  /// - Returns: The rows of the last one, as text.
  @discardableResult
  public func query(_ commands: String) throws -> [[String?]] {
    try ScratchDatabase.rows(of: PQexec(connection, commands), connection)
  }
}
