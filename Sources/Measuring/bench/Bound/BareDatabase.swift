internal import CLibpq

/// One connection of libpq in pipeline mode, with one batch under way.
///
/// The statements of a batch go to the server at once. They are one transaction, as there is no
/// synchronization between them (libpq, "Pipeline Mode").
struct BareDatabase {
  private let connection: OpaquePointer
  private let statements: [BareStatement]
  /// The connections that wait for the batch under way.
  private var waiting: [Int] = []

  var isBusy: Bool { !waiting.isEmpty }
  var descriptor: Int32 { PQsocket(connection) }

  /// Connects and prepares.
  /// - Parameter options: As libpq reads them.
  init(_ options: String, _ statements: [BareStatement], app: Int, profiles: Int) throws(Fault) {
    guard let connection = PQconnectdb(options), PQstatus(connection) == CONNECTION_OK else {
      throw Fault("cannot connect: \(options)")
    }
    self.connection = connection
    self.statements = statements
    for (index, statement) in statements.enumerated() {
      let sql = statement.sql.replacing("$app", with: "\(app)")
        .replacing("$profiles", with: "\(profiles)")
      let result = PQprepare(connection, "s\(index)", sql, 0, nil)
      defer { PQclear(result) }
      try check(result)
    }
    guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else {
      throw Fault("no pipeline: \(String(cString: PQerrorMessage(connection)))")
    }
  }

  /// Sends the statements of a batch.
  mutating func run(_ batch: BareBatch) throws(Fault) {
    waiting = batch.waiting
    let arrays = [batch.ids, batch.tokens, batch.versions].map(BareBatch.closed)
    let isSent = arrays[0].withUnsafeBufferPointer { ids in
      arrays[1].withUnsafeBufferPointer { tokens in
        arrays[2].withUnsafeBufferPointer { versions in
          let values = [ids.baseAddress, tokens.baseAddress, versions.baseAddress]
          return statements.indices.allSatisfy { index in
            PQsendQueryPrepared(
              connection, "s\(index)", Int32(statements[index].values), values, nil, nil, 1) == 1
          }
        }
      }
    }
    guard isSent, PQpipelineSync(connection) == 1 else {
      throw Fault("cannot send: \(String(cString: PQerrorMessage(connection)))")
    }
    while PQflush(connection) == 1 {}
  }

  /// Takes what the server has sent.
  /// - Returns: Who waited for the batch, once it is done.
  mutating func finished() throws(Fault) -> [Int] {
    guard PQconsumeInput(connection) == 1 else {
      throw Fault("the connection broke: \(String(cString: PQerrorMessage(connection)))")
    }
    while isBusy, PQisBusy(connection) == 0 {
      // Nothing stands between the results of two statements.
      guard let result = PQgetResult(connection) else { continue }
      defer { PQclear(result) }
      if PQresultStatus(result) == PGRES_PIPELINE_SYNC {
        defer { waiting = [] }
        return waiting
      }
      try check(result)
    }
    return []
  }

  private func check(_ result: OpaquePointer?) throws(Fault) {
    let status = PQresultStatus(result)
    guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
      throw Fault("a statement failed: \(String(cString: PQerrorMessage(connection)))")
    }
  }
}
