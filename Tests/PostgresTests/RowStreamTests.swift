import EventLoop
import Testing

@testable import Postgres

/// Statements that are read a portion at a time.
@Suite(.timeLimit(.minutes(10)), .serialized) struct RowStreamTests {
  private struct Stopped: Error {}

  /// Numbers from 1, each with a text of a size.
  private struct Numbers: Statement {
    static let sql = "SELECT n, repeat($2, $3) FROM generate_series(1, $1::int) AS n ORDER BY n"
    var count: Int32
    var text: String? = "x"
    var repeats: Int32 = 1
    func bind(to parameters: inout Parameters) {
      parameters.append(count)
      parameters.append(text)
      parameters.append(repeats)
    }
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32? {
      let number: Int32 = try row.next()
      return try row.next(String?.self) == nil ? nil : number
    }
  }

  /// Quotients that end in an error at the row in the middle.
  private struct Quotients: Statement {
    static let sql = "SELECT 1000 / ($1::int - n) FROM generate_series(1, 2 * $1) AS n"
    let middle: Int32
    func bind(to parameters: inout Parameters) { parameters.append(middle) }
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32 { try row.next() }
  }

  private struct Nap: Statement {
    static let sql = "SELECT 1 FROM pg_sleep(600)"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32 { try row.next() }
  }

  /// What the server's processes of streams are at.
  private static let marker = "FROM portions"

  private func withStreams(
    _ body: @Sendable @escaping (PostgresClient) async throws -> Void
  ) async throws {
    try await withClient { client, _ in
      try await body(client)
      #expect(client.places.taken == 0)
      // Whatever became of it, the server's side of it ends.
      while try await !client.read(Backends(text: Self.marker)).isEmpty {
        await client.loop.sleep(nanoseconds: 1_000_000)
      }
    }
  }

  /// Nobody would close what is opened then, and a server that stops waits for it.
  @Test func aClosedClientOpensNoStream() async throws {
    try await withLoop { loop in
      let client = PostgresClient(try ScratchServer.address, connections: 1, loop: loop)
      client.start()
      client.close()
      let error = await #expect(throws: PostgresError.self) {
        _ = try await client.open(Numbers(count: 1))
      }
      #expect(error?.code == .disconnected)
      #expect(client.places.taken == 0)
    }
  }

  @Test(arguments: [0, 1, 63, 64, 65, 320, 321, 20_000] as [Int32])
  func eachRowComesOnceAndInOrder(count: Int32) async throws {
    try await withStreams { client in
      var rows: [Int32?] = []
      try await client.stream(Numbers(count: count)) { rows += $0 }
      #expect(rows == (0..<count).map { $0 + 1 })
    }
  }

  @Test func valuesAreBound() async throws {
    try await withStreams { client in
      var rows: [Int32?] = []
      try await client.stream(Numbers(count: 2, text: nil)) { rows += $0 }
      #expect(rows == [nil, nil])
      try await client.stream(Numbers(count: 1, text: "'; ROLLBACK; --")) { rows += $0 }
      #expect(rows == [nil, nil, 1])
    }
  }

  @Test func largeRowsComeFewAtATime() async throws {
    try await withStreams { client in
      var sizes: [Int] = []
      try await client.stream(Numbers(count: 200, repeats: 100_000)) { sizes.append($0.count) }
      #expect(sizes.reduce(0, +) == 200)
      #expect(sizes.dropFirst().allSatisfy { $0 <= 10 }, "\(sizes)")
    }
  }

  @Test func theRowsAreThoseOfOneMoment() async throws {
    struct Rows: Statement {
      static let sql = "SELECT id FROM moment ORDER BY id"
      static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32 { try row.next() }
    }
    try ScratchServer.execute(
      """
      DROP TABLE IF EXISTS moment; CREATE TABLE moment AS SELECT generate_series(1, 5000) AS id
      """)
    try await withStreams { client in
      var rows: [Int32] = []
      try await client.stream(Rows()) { portion in
        if rows.isEmpty { try ScratchServer.execute("DELETE FROM moment") }
        rows += portion
      }
      #expect(rows == Array(1...5000))
    }
  }

  @Test func theServerWaitsForASlowReader() async throws {
    try await withStreams { client in
      let stream = try await client.open(Numbers(count: 1000, repeats: 1_000_000))
      _ = try await Backends.wait(for: Self.marker, waiting: "ClientWrite", client)
      #expect(try await stream.next()?.count == Limits.firstPortionRows)
      stream.close()
      #expect(try await stream.next() == nil)
    }
  }

  @Test func aReaderThatThrowsEndsTheQuery() async throws {
    try await withStreams { client in
      var portions = 0
      await #expect(throws: Stopped.self) {
        try await client.stream(Numbers(count: 1_000_000)) { _ in
          portions += 1
          if portions == 3 { throw Stopped() }
        }
      }
      #expect(portions == 3)
    }
  }

  /// Also one that has not given a row yet.
  @Test func aReaderThatIsCancelledEndsTheQuery() async throws {
    try await withStreams { client in
      let reader = Task(executorPreference: client.loop) { try await client.stream(Nap()) { _ in } }
      _ = try await Backends.wait(for: Self.marker, waiting: "PgSleep", client)
      reader.cancel()
      await #expect(throws: CancellationError.self) { try await reader.value }
    }
  }

  @Test func aStreamThatNobodyReadsEnds() async throws {
    try await withStreams { client in
      _ = try await client.open(Numbers(count: 1_000_000))
    }
  }

  @Test func anErrorInTheMiddleIsThrown() async throws {
    try await withStreams { client in
      var rows = 0
      let error = await #expect(throws: PostgresError.self) {
        try await client.stream(Quotients(middle: 1000)) { rows += $0.count }
      }
      #expect(error?.sqlState == "22012")
      #expect(rows == 64 + 3 * 256)
    }
  }

  @Test func aStatementThatIsNoneIsRefusedBeforeTheFirstRow() async throws {
    struct Nonsense: Statement { static let sql = "SELECT FROM no_such_table" }
    try await withStreams { client in
      let error = await #expect(throws: PostgresError.self) { try await client.open(Nonsense()) }
      #expect(error?.sqlState == "42P01")
    }
  }

  @Test func aDatabaseThatGoesAwayIsNotTheEndOfTheRows() async throws {
    try await withStreams { client in
      var rows = 0
      let error = await #expect(throws: PostgresError.self) {
        try await client.stream(Numbers(count: 1_000_000)) { portion in
          if rows == 0 {
            let process = try await Backends.wait(for: Self.marker, waiting: "ClientRead", client)
            _ = try await client.write(Terminate(process: process))
          }
          rows += portion.count
        }
      }
      #expect(error?.code == .disconnected)
      #expect(rows < 10_000)
    }
  }

  @Test func streamsAtOnceAreBounded() async throws {
    try await withStreams { client in
      var streams: [RowStream<Int32?>] = []
      for _ in 0..<Limits.streamsPerLoop {
        streams.append(try await client.open(Numbers(count: 100_000)))
      }
      let error = await #expect(throws: PostgresError.self) {
        try await client.open(Numbers(count: 1))
      }
      #expect(error?.code == .overloaded)
      streams.removeLast()
      #expect(try await client.open(Numbers(count: 1)).next() == [1])
      for stream in streams { stream.close() }
    }
  }
}

extension PostgresClient {
  /// Gives all rows of a statement to `consume`, a portion at a time, in order; the server waits
  /// while it is slow. When it throws, the query is broken off.
  fileprivate func stream<S: Statement>(
    _ statement: S, consume: ([S.Row]) async throws -> Void
  ) async throws {
    let stream = try await open(statement)
    defer { stream.close() }
    while let rows = try await stream.next() { try await consume(rows) }
  }
}
