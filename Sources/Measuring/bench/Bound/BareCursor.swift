internal import CLibpq

/// The physical bound of a rendering for all devices: a binary cursor over the columns that it
/// reads, with nothing done to the rows. Two portions are under way, so that the server never
/// waits.
enum BareCursor {
  private static let fetch = "FETCH 2000 FROM bound"

  /// Reads all installations of an app.
  /// - Returns: How many there are.
  static func run(_ options: String, app: Int) throws(Fault) -> Int {
    guard let connection = PQconnectdb(options), PQstatus(connection) == CONNECTION_OK else {
      throw Fault("cannot connect: \(options)")
    }
    defer { PQfinish(connection) }
    // The columns of bench/copy.sql.
    let query = """
      SELECT installation_id, apns_token, environment = 'sandbox', apns_status, platform, languages,
        language_override, app_build, app_version, os_version, localization, capabilities,
        background_refresh, "authorization"
      FROM installation WHERE app_id = \(app)
      """
    for sql in ["BEGIN", "DECLARE bound NO SCROLL CURSOR FOR \(query)"] {
      let result = PQexec(connection, sql)
      defer { PQclear(result) }
      guard PQresultStatus(result) == PGRES_COMMAND_OK else {
        throw Fault("cursor: \(String(cString: PQerrorMessage(connection)))")
      }
    }
    guard PQenterPipelineMode(connection) == 1 else { throw Fault("no pipeline") }
    var rows = 0
    var underWay = 0
    var isOver = false
    repeat {
      while underWay < 2, !isOver {
        guard PQsendQueryParams(connection, fetch, 0, nil, nil, nil, nil, 1) == 1,
          PQpipelineSync(connection) == 1
        else { throw Fault("cursor: \(String(cString: PQerrorMessage(connection)))") }
        underWay += 1
      }
      guard let result = PQgetResult(connection) else { continue }
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC: underWay -= 1
      case PGRES_TUPLES_OK:
        rows += Int(PQntuples(result))
        isOver = PQntuples(result) == 0
      default: throw Fault("cursor: \(String(cString: PQerrorMessage(connection)))")
      }
    } while underWay > 0
    return rows
  }
}
