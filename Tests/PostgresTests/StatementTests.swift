import EventLoop
import Testing

@testable import Postgres

/// Reads, writes and their failures.
@Suite(.timeLimit(.minutes(10))) struct StatementTests {
  private struct Now: Statement {
    static let sql = "SELECT now()"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Timestamp {
      try row.next()
    }
  }

  /// Runs reads at once.
  private static func together<S: Statement>(
    _ statements: [S], _ client: PostgresClient
  ) async -> [Result<[S.Row], PostgresError>] where S.Row: Sendable {
    await withTaskGroup(of: (Int, Result<[S.Row], PostgresError>).self) { group in
      for (index, statement) in statements.enumerated() {
        group.addTask(executorPreference: client.loop) {
          do throws(PostgresError) {
            return (index, .success(try await client.read(statement)))
          } catch {
            return (index, .failure(error))
          }
        }
      }
      var results: [(Int, Result<[S.Row], PostgresError>)] = []
      for await result in group { results.append(result) }
      return results.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  private func sum(_ numbers: [Int64?]) -> Query<Int64?> {
    let sum = numbers.map { "\($0)::int8" as SQL }.joined(separator: " + ")
    return Query("SELECT \(sum)") { row in try row.next() }
  }

  @Test func aQueryIsRunAndForgotten() async throws {
    try await withClient(connections: 1) { client, _ in
      for _ in 0..<2 {
        try await #expect(client.read(sum([1, 2, 3])) == [6])
        try await #expect(client.read(sum([4])) == [4])
        try await #expect(client.read(sum([4, nil])) == [nil])
        let stream = try await client.open(sum([4, 5]))
        try await #expect(stream.next() == [9])
        stream.close()
      }
      let names = try await client.read(PreparedTexts())
      #expect(!names.contains { $0.contains("$1::int8") }, "\(names)")
    }
  }

  /// What stands between `\(` and `)` is bound, also in a piece of another.
  @Test func aQueryBindsItsValues() async throws {
    let hostile = "'; DROP TABLE x; --$1"
    let piece: SQL = "upper(\(hostile)::text)"
    let query = Query<String>("SELECT concat(\(piece), \(constant: "'|'"), \(hostile)::text)")
    #expect(query.sql == "SELECT concat(upper($1::text), '|', $2::text)")
    try await withClient(connections: 1) { client, _ in
      try await #expect(client.read(query) == ["'; DROP TABLE X; --$1|\(hostile)"])
      let lines = try await client.read(query.explained)
      #expect(lines.first?.hasPrefix("Result") == true)
    }
  }

  private struct PreparedTexts: Statement {
    static let sql = "SELECT statement FROM pg_prepared_statements"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }

  @Test func readsOfOneCycleShareASegment() async throws {
    try await withClient(connections: 1) { client, _ in
      _ = try await client.read(Now())
      let times = await Self.together((0..<50).map { _ in Now() }, client)
      // One segment is one transaction, and `now()` is its time.
      #expect(Set(try times.flatMap { try $0.get() }).count == 1)
    }
  }

  @Test func thousandsOfReadsGetTheirOwnAnswers() async throws {
    try await withClient { client, _ in
      let numbers = (0..<3000).map { Int32($0) }
      let results = await Self.together(numbers.map { Echo(value: $0) }, client)
      try #expect(results.flatMap { try $0.get() } == numbers)
    }
  }

  @Test func oneReadsErrorIsNotItsNeighbours() async throws {
    try await withClient(connections: 1) { client, _ in
      let divisors = (0..<60).map { Int32($0 % 10) }
      let results = await Self.together(divisors.map { Division(divisor: $0) }, client)
      for (divisor, result) in zip(divisors, results) {
        if divisor == 0 {
          #expect(throws: PostgresError(.server(sqlState: "22012"), "division by zero")) {
            try result.get()
          }
        } else {
          try #expect(result.get() == [100 / divisor])
        }
      }
    }
  }

  private struct InsertOnce: Statement {
    static let sql = "INSERT INTO insert_once (id) VALUES ($1)"
    let id: Int32
    func bind(to parameters: inout Parameters) { parameters.append(id) }
  }

  @Test func errorsCarryStateAndConstraint() async throws {
    try ScratchServer.execute("CREATE TABLE insert_once (id int CONSTRAINT only_once UNIQUE)")
    try await withClient(connections: 1) { client, _ in
      _ = try await client.write(InsertOnce(id: 1))
      let error = await #expect(throws: PostgresError.self) {
        _ = try await client.write(InsertOnce(id: 1))
      }
      #expect(error?.sqlState == "23505")
      #expect(error?.constraint == "only_once")
      #expect(error?.isSafeToRetry == false)
    }
  }

  private struct NoSuchTable: Statement { static let sql = "SELECT 1 FROM no_such_table" }
  private struct NoGrammar: Statement { static let sql = "SELEKT 1" }

  @Test func textThatCannotBePreparedIsNamedAsTheCause() async throws {
    try await withClient(connections: 1) { client, _ in
      for _ in 0..<2 {
        for result in await Self.together([NoSuchTable(), NoSuchTable()], client) {
          #expect(throws: PostgresError.self) { try result.get() }
          if case .failure(let error) = result { #expect(error.sqlState == "42P01") }
        }
        let error = await #expect(throws: PostgresError.self) {
          _ = try await client.write(NoGrammar())
        }
        #expect(error?.sqlState == "42601")
        let inTransaction = await #expect(throws: PostgresError.self) {
          try await client.transaction { _ = try await $0.run(NoGrammar()) }
        }
        #expect(inTransaction?.sqlState == "42601")
      }
    }
  }

  private struct Everything: Statement {
    static let sql = "SELECT * FROM everything"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32 { try row.next() }
  }

  @Test func aChangedTableIsPreparedAnew() async throws {
    try ScratchServer.execute("CREATE TABLE everything AS SELECT 1 AS id")
    try await withClient(connections: 1) { client, _ in
      try await #expect(client.read(Everything()) == [1])
      try ScratchServer.execute("ALTER TABLE everything ADD more text")
      let error = await #expect(throws: PostgresError.self) {
        _ = try await client.read(Everything())
      }
      #expect(error?.sqlState == "0A000")
      try await #expect(client.read(Everything()) == [1])
    }
  }

  private struct Sleep: Statement {
    static let sql = "SELECT pg_sleep($1::int)::text"
    func bind(to parameters: inout Parameters) { parameters.append(Int32(30)) }
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }

  @Test func theServerEndsStatementsThatTakeTooLong() async throws {
    let conninfo = try ScratchServer.conninfo + " options='-c statement_timeout=10000'"
    try await withClient(DatabaseAddress(conninfo), connections: 1) { client, _ in
      let error = await #expect(throws: PostgresError.self) {
        _ = try await client.write(Sleep())
      }
      #expect(error?.sqlState == "57014")
    }
  }

  private struct TooManyParameters: Statement {
    static let sql = "SELECT 1"
    func bind(to parameters: inout Parameters) {
      for _ in 0..<70_000 { parameters.append(true) }
    }
  }

  @Test func whatLibpqRefusesHarmsNobodyElse() async throws {
    try await withClient(connections: 1) { client, events in
      let neighbour = client.loop.execute {
        #expect((try? await client.read(Echo(value: Int32(1)))) == [1])
      }
      let error = await #expect(throws: PostgresError.self) {
        _ = try await client.read(TooManyParameters())
      }
      await neighbour.value
      #expect(error?.code == .misuse)
      #expect(!events.names.contains("disconnected"))
    }
  }

  @Test func theQueueIsBounded() async throws {
    try await withClient { client, events in
      let results = await Self.together(
        (0..<Limits.waitingStatements + 100).map { Echo(value: Int32($0)) }, client)
      let refused = results.filter { result in
        if case .failure(let error) = result {
          error.code == .overloaded && error.isSafeToRetry
        } else {
          false
        }
      }
      #expect(refused.count == 100)
      #expect(events.count("overloaded") == 100)
    }
  }
}
