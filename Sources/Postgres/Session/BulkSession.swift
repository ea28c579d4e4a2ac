internal import CLibpq

/// A connection of its own for bulk writes: statements and `COPY` take turns in one transaction.
///
/// It belongs to its client's loop, like all calls of the client, and to one user at a time.
public final class BulkSession: @unchecked Sendable {
  private let session: Session
  private let client: PostgresClient

  fileprivate init(_ session: Session, of client: PostgresClient) {
    self.session = session
    self.client = client
  }

  /// Like the pipelined connections it joins batches with indexes only. A portion may take longer
  /// than a request's statement.
  fileprivate static let settings =
    [
      "statement_timeout": "\(Limits.bulkStatementTimeoutMilliseconds)",
      "idle_in_transaction_session_timeout": "\(Limits.idleTransactionMilliseconds)",
    ]
    .merging(PipelineConnection.joinSettings) { own, _ in own }

  /// Runs one statement.
  @discardableResult
  public func run<S: Statement>(_ statement: S) async throws(PostgresError) -> [S.Row] {
    let execution = TypedExecution(statement)
    try session.send(execution.statement.sql, execution.parameters)
    while let result = try await session.nextResult() {
      execution.receive(result)
      PQclear(result)
    }
    return try execution.get()
  }

  /// Writes rows into all columns of a table, in their order.
  public func copy(_ rows: BinaryRows, into table: StaticString) async throws(PostgresError) {
    try await session.startCopy("COPY \(table) FROM STDIN (FORMAT binary)")
    try await session.putCopy(rows.bytes)
    try await session.endCopy()
  }

  /// Runs `body` in a transaction: committed on return, rolled back when it throws.
  public func transaction<Result>(_ body: () async throws -> Result) async throws -> Result {
    try client.requireWrites()
    try await session.run("BEGIN")
    do {
      let result = try await body()
      try await session.run("COMMIT")
      return result
    } catch {
      _ = try? await session.run("ROLLBACK")
      throw error
    }
  }
}

extension PostgresClient {
  /// Lends a connection for bulk writes; it is closed when `body` ends.
  /// - Parameter holder: For whom it takes one of the places for bulk transfers.
  public func withBulkSession<Result>(
    for holder: Int32? = nil, _ body: (BulkSession) async throws -> Result
  ) async throws -> Result {
    try admitStream(for: holder)
    defer { places.give(for: holder) }
    let session = Session(loop: loop)
    session.silenceNanoseconds = times.silenceNanoseconds
    session.end = callEnd
    try await session.open(address, settings: BulkSession.settings)
    session.end = .max
    session.silenceNanoseconds =
      UInt64(Limits.bulkStatementTimeoutMilliseconds) * 1_000_000 + Limits.bulkSilenceNanoseconds
    defer { session.close() }
    return try await body(BulkSession(session, of: self))
  }
}

/// Rows in the binary form of `COPY` (PostgreSQL manual, COPY, Binary Format), behind a signature.
public struct BinaryRows: Sendable {
  private var writer = RowWriter(
    .copy,
    behind: Array("PGCOPY\n\u{FF}\r\n\0".unicodeScalars.map { UInt8($0.value) })
      + Array(repeating: 0, count: 8))

  /// No rows yet.
  public init() {}

  /// Appends a row.
  public mutating func append(_ write: (inout RowWriter) -> Void) { writer.row(write) }

  /// All of it, with the mark of the end.
  var bytes: [UInt8] { writer.bytes + [0xFF, 0xFF] }
}
