internal import CLibpq
internal import EventLoop

/// The rows of a command, a portion at a time, however many there are. All rows are of one moment,
/// and memory holds a portion or two.
///
/// A cursor in a read-only transaction on a connection of its own. The server works on the next
/// portion while the reader has this one, and waits when it is ahead. The states:
/// - reading: a `FETCH` of `asked` rows is under way; goes to over at the last row, an error, the
///   reader's cancellation, or ``close()``.
/// - over: the connection is closed, which also ends the query on the server.
///
/// It belongs to its client's loop, like all calls of the client.
public final class RowStream<Row: Sendable>: @unchecked Sendable {
  private let query: Query<Row>
  private let client: PostgresClient
  private let session: Session
  private let holder: Int32?
  /// Rows asked of the `FETCH` under way; `nil` when the stream is over.
  private var asked: Int?

  fileprivate init(
    _ query: Query<Row>, _ client: PostgresClient, for holder: Int32?
  ) throws(PostgresError) {
    self.query = query
    self.client = client
    self.holder = holder
    session = Session(loop: client.loop)
    session.silenceNanoseconds = client.times.silenceNanoseconds
    try client.admitStream(for: holder)
    asked = 0
  }

  deinit { close() }

  /// Declares the cursor and asks for the first rows. The server plans the command for its values
  /// and, told by `cursor_tuple_fraction`, for reading it to the end.
  fileprivate func open(timeoutMilliseconds: Int?) async throws(PostgresError) {
    do throws(PostgresError) {
      session.end = client.callEnd
      try await session.open(client.address, settings: ["cursor_tuple_fraction": "1"])
      try await session.run(Self.beginning)
      if let timeoutMilliseconds {
        try await session.run("SET LOCAL statement_timeout = \(timeoutMilliseconds)")
      }
      try session.send(
        "DECLARE portions NO SCROLL CURSOR FOR \(query.sql)", query.parameters)
      PQclear(try await session.result())
      session.end = .max
      // Rows may take their time; where a bound is set, the server is the first to notice.
      session.silenceNanoseconds =
        timeoutMilliseconds.map { UInt64($0) * 1_000_000 + Limits.bulkSilenceNanoseconds } ?? .max
      try ask(for: Limits.firstPortionRows)
    } catch {
      close()
      throw error
    }
  }

  /// The server looks once a second whether we are still there, so that a sort of millions of rows
  /// ends with its reader. Servers before 14 know no such setting and end at the next portion.
  private static var beginning: String {
    """
    BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
    SELECT set_config(name, '1s', true) FROM (VALUES ('client_connection_check_interval')) x (name)
    WHERE current_setting(name, true) IS NOT NULL
    """
  }

  private func ask(for count: Int) throws(PostgresError) {
    try session.send("FETCH \(count) FROM portions")
    asked = count
  }

  /// The next rows, in order; `nil` when there are no more.
  /// - Throws: `PostgresError`, `CancellationError`; the stream is over then.
  public func next() async throws -> [Row]? {
    guard let asked else {
      // A stream that the reader's cancellation closed was not read to its end.
      try Task.checkCancellation()
      return nil
    }
    do {
      try Task.checkCancellation()
      let result = try await withTaskCancellationHandler {
        try await session.result()
      } onCancel: {
        client.loop.execute { [self] in close() }
      }
      defer { PQclear(result) }
      let count = Int(PQntuples(result))
      if count < asked {
        close()
      } else {
        let fitting = Limits.portionBytes * count / max(1, PQresultMemorySize(result))
        try ask(for: min(max(1, fitting), Limits.portionRows))
      }
      return count == 0 ? nil : try query.rows(of: result)
    } catch {
      close()
      try Task.checkCancellation()
      throw error
    }
  }

  /// Ends it, at any time; a waiting ``next()`` throws.
  public func close() {
    guard asked != nil else { return }
    asked = nil
    session.close()
    client.places.give(for: holder)
  }
}

extension PostgresClient {
  /// Runs a command whose rows are read a portion at a time; none is read yet on return.
  /// - Parameters:
  ///   - holder: The app for which it takes one of the places for bulk transfers.
  ///   - timeoutMilliseconds: How long the server may work on a portion; for exports nothing bounds
  ///     it but their readers.
  public func open<Row>(
    _ command: some Command<Row>, for holder: Int32? = nil, timeoutMilliseconds: Int? = nil
  ) async throws(PostgresError) -> RowStream<Row> {
    let stream = try RowStream(command.query, self, for: holder)
    try await stream.open(timeoutMilliseconds: timeoutMilliseconds)
    return stream
  }

  /// All rows of a command that may take seconds: on a connection of its own, so that nobody
  /// waits behind it, and not without end, as a client that went away is not noticed.
  /// - Parameters:
  ///   - holder: The app for which it takes one of the places for bulk transfers.
  ///   - timeoutMilliseconds: How long it may take; a minute unless told otherwise.
  public func readApart<Row>(
    _ command: some Command<Row>, for holder: Int32? = nil, timeoutMilliseconds: Int? = nil
  ) async throws -> [Row] {
    let stream = try await open(
      command, for: holder,
      timeoutMilliseconds: timeoutMilliseconds ?? Limits.longStatementTimeoutMilliseconds)
    defer { stream.close() }
    var all: [Row] = []
    while let rows = try await stream.next() { all += rows }
    return all
  }
}
