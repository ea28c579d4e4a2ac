internal import CLibpq

/// A database of the scratch cluster.
public struct ScratchDatabase: Sendable {
  /// Its name.
  public let name: String
  /// How services reach it.
  public let conninfo: String
  /// How its owner reaches it, who makes tables and partitions.
  public let owner: String
  /// How tests reach it, who may do everything.
  let administration: String

  /// A database by its name, and the string with which tests reach it.
  package init(name: String, administration: String, hasRoles: Bool = false) {
    self.name = name
    self.administration = administration
    conninfo = administration + (hasRoles ? " user=postilion_service" : "")
    owner = administration + (hasRoles ? " user=postilion_owner" : "")
  }

  /// What the server said against a query.
  public struct Refusal: Error, CustomStringConvertible {
    /// The server's message.
    public let description: String
  }

  /// Runs commands on a connection of their own.
  /// - Returns: The rows of the last one, as text.
  @discardableResult
  public func query(_ commands: String) async throws -> [[String?]] {
    try await blocking { [administration] in try Self.query(commands, on: administration) }
  }

  /// Runs commands with the rights of services.
  @discardableResult
  public func queryAsService(_ commands: String) async throws -> [[String?]] {
    try await blocking { [conninfo] in try Self.query(commands, on: conninfo) }
  }

  static func query(_ commands: String, on conninfo: String) throws -> [[String?]] {
    let connection = PQconnectdb(conninfo)
    defer { PQfinish(connection) }
    guard PQstatus(connection) == CONNECTION_OK else {
      throw Refusal(description: String(cString: PQerrorMessage(connection)))
    }
    return try rows(of: PQexec(connection, commands), connection)
  }

  /// Reads a result as text, and frees it.
  static func rows(
    of result: OpaquePointer?, _ connection: OpaquePointer?
  ) throws -> [[String?]] {
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

  /// A connection string in keywords, to which others can be added: the last of a name counts.
  static func keywords(of conninfo: String) throws -> String {
    guard let options = PQconninfoParse(conninfo, nil) else {
      throw Refusal(description: "no connection string: \(conninfo)")
    }
    defer { PQconninfoFree(options) }
    var words: [String] = []
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        let quoted = String(cString: value).replacing("\\", with: "\\\\")
          .replacing("'", with: "\\'")
        words.append("\(String(cString: keyword))='\(quoted)'")
      }
      option += 1
    }
    return words.joined(separator: " ")
  }

  /// The one value of a query that has one.
  public func value(_ query: String) async throws -> String? {
    try await self.query(query).first?.first ?? nil
  }
}
