import EventLoop
import FoundationEssentials
import Testing

@testable import Postgres

/// Statements and `COPY` on one connection.
@Suite(.timeLimit(.minutes(10)), .serialized) struct BulkSessionTests {
  private struct Stopped: Error {}

  private struct Count: Statement {
    static let sql = "SELECT count(*) FROM bulk_rows WHERE name IS DISTINCT FROM $1"
    let except: String
    func bind(to parameters: inout Parameters) { parameters.append(except) }
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.next() }
  }

  private struct Row: Statement {
    static let sql = "SELECT id, name, token, at FROM bulk_rows ORDER BY id"
    static func decode(
      _ row: inout RowReader
    ) throws(PostgresError) -> (id: Int32, name: String?, token: Bytea?, at: Timestamp?) {
      (
        try row.next(), try row.nextOptional(), try row.nextOptional(), try row.nextOptional()
      )
    }
  }

  private func rows(_ ids: Range<Int32>) -> BinaryRows {
    var rows = BinaryRows()
    for id in ids {
      rows.append { row in
        row.append(id)
        row.append(id.isMultiple(of: 2) ? nil : "name \(id)\t\n\\")
        row.append(id == 0 ? Bytea([]) : Bytea([0, 0xFF]))
        row.append(id == 1 ? nil : Timestamp(microseconds: 1_777_000_000_123_000))
      }
    }
    return rows
  }

  private func withTable(
    _ body: @Sendable @escaping (PostgresClient) async throws -> Void
  ) async throws {
    try ScratchServer.execute(
      """
      DROP TABLE IF EXISTS bulk_rows;
      CREATE TABLE bulk_rows (id int PRIMARY KEY, name text, token bytea, at timestamptz)
      """)
    try await withClient { client, _ in
      try await body(client)
      #expect(client.places.taken == 0)
    }
  }

  private struct IsCompiled: Statement {
    static let sql = "SELECT current_setting('jit')"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }

  /// Also where the server compiles, as it does by default.
  @Test func noStatementIsCompiled() async throws {
    try ScratchServer.execute(
      """
      DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET jit = on', current_database());
      END $$
      """)
    try await withClient { client, _ in
      let inBulk = try await client.withBulkSession { try await $0.run(IsCompiled()) }
      #expect(inBulk == ["off"])
      let inPipeline = try await client.read(IsCompiled())
      #expect(inPipeline == inBulk)
    }
  }

  @Test func rowsComeBackAsTheyWentIn() async throws {
    try await withTable { client in
      try await client.withBulkSession { session in
        try await session.transaction {
          try await session.copy(rows(0..<3), into: "bulk_rows")
          try await #expect(session.run(Count(except: "x")) == [3])
          try await session.copy(rows(3..<2_000), into: "bulk_rows")
        }
      }
      let stored = try await client.read(Row())
      #expect(stored.map(\.id) == Array(0..<2_000))
      #expect(stored[0].name == nil)
      #expect(stored[1].name == "name 1\t\n\\")
      #expect(stored[0].token == Bytea([]))
      #expect(stored[1].token == Bytea([0, 0xFF]))
      #expect(stored[1].at == nil)
      #expect(stored[2].at == Timestamp(microseconds: 1_777_000_000_123_000))
    }
  }

  @Test func aTransactionIsAllOrNothingAndTheSessionGoesOn() async throws {
    try await withTable { client in
      try await client.withBulkSession { session in
        await #expect(throws: Stopped.self) {
          try await session.transaction {
            try await session.copy(rows(0..<3), into: "bulk_rows")
            throw Stopped()
          }
        }
        let error = await #expect(throws: PostgresError.self) {
          try await session.transaction {
            try await session.copy(rows(0..<3), into: "bulk_rows")
            try await session.copy(rows(2..<4), into: "bulk_rows")
          }
        }
        #expect(error?.sqlState == "23505")
        try await #expect(session.run(Count(except: "x")) == [0])
        try await session.transaction { try await session.copy(rows(0..<1), into: "bulk_rows") }
        try await #expect(session.run(Count(except: "x")) == [1])
      }
    }
  }

  /// Far more than the socket takes at once; the server says nothing until all is there.
  @Test func aLargePieceIsSentWhole() async throws {
    try await withTable { client in
      var rows = BinaryRows()
      for id in Int32(0)..<200 {
        rows.append { row in
          row.append(id)
          row.append(String(repeating: "x", count: 100_000))
          row.append(Bytea?.none)
          row.append(Timestamp?.none)
        }
      }
      let large = rows
      try await client.withBulkSession { session in
        try await session.copy(large, into: "bulk_rows")
        try await #expect(session.run(Count(except: "x")) == [200])
      }
    }
  }

  @Test func sessionsAreFew() async throws {
    try await withTable { client in
      client.places.limit = 0
      let error = await #expect(throws: PostgresError.self) {
        try await client.withBulkSession { _ in }
      }
      #expect(error?.code == .overloaded)
    }
  }

  @Test func sessionsAtOnceAreBounded() async throws {
    try await withTable { client in
      func open(_ count: Int) async throws {
        guard count > 0 else { return }
        try await client.withBulkSession { _ in try await open(count - 1) }
      }
      try await open(Limits.streamsPerLoop)
      let error = await #expect(throws: PostgresError.self) {
        try await open(Limits.streamsPerLoop + 1)
      }
      #expect(error?.code == .overloaded)
    }
  }
}
