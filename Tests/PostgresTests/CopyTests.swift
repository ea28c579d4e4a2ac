import EventLoop
import Testing

@testable import Postgres

/// Bulk reads and writes.
@Suite(.timeLimit(.minutes(10)), .serialized) struct CopyTests {
  private struct Stopped: Error {}

  private struct Count: Statement {
    static let sql = "SELECT count(*) FROM bulk"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.next() }
  }

  private func withTable(
    _ body: @Sendable @escaping (PostgresClient) async throws -> Void
  ) async throws {
    try ScratchServer.execute("DROP TABLE IF EXISTS bulk; CREATE TABLE bulk (id int, name text)")
    try await withClient { client, _ in
      try await body(client)
      #expect(client.places.taken == 0)
    }
  }

  private static let copyIn = CopyCommand("COPY bulk FROM STDIN")

  @Test func rowsComeBackAsTheyWentIn() async throws {
    try await withTable { client in
      var sent = 0
      try await client.copyIn(Self.copyIn) {
        guard sent < 20_000 else { return nil }
        defer { sent += 100 }
        return Array((sent..<sent + 100).map { "\($0)\tname \($0)\n" }.joined().utf8)
      }
      try await #expect(client.read(Count()) == [20_000])
      var received: [String] = []
      try await client.copyOut(
        CopyCommand(
          """
          COPY (
            SELECT * FROM bulk WHERE id < current_setting('test.end')::int ORDER BY id
          ) TO STDOUT
          """,
          variables: [("test.end", "15000")])
      ) { received.append(String(decoding: $0, as: UTF8.self)) }
      #expect(received == (0..<15_000).map { "\($0)\tname \($0)\n" })
    }
  }

  /// A variable's value is data, whatever it looks like.
  @Test func variablesAreBound() async throws {
    try await withTable { client in
      var received: [UInt8] = []
      try await client.copyOut(
        CopyCommand(
          "COPY (SELECT current_setting('test.value')) TO STDOUT",
          variables: [("test.value", "'); DROP TABLE bulk; --")])
      ) { received += $0 }
      #expect(String(decoding: received, as: UTF8.self) == "'); DROP TABLE bulk; --\n")
      try await #expect(client.read(Count()) == [Int64(0)])
    }
  }

  @Test func theServerWaitsForASlowReader() async throws {
    try await withTable { client in
      let marker = "generate_series(1, 20000000)"
      await #expect(throws: Stopped.self) {
        try await client.copyOut(
          CopyCommand("COPY (SELECT generate_series(1, 20000000)) TO STDOUT")
        ) { _ in
          _ = try await Backends.wait(for: marker, waiting: "ClientWrite", client)
          throw Stopped()
        }
      }
      // Broken off, it ends on the server too.
      while try await !client.read(Backends(text: marker)).isEmpty {
        await client.loop.sleep(nanoseconds: 1_000_000)
      }
    }
  }

  @Test func nothingIsKeptWhenTheSourceFails() async throws {
    try await withTable { client in
      var sent = 0
      await #expect(throws: Stopped.self) {
        try await client.copyIn(Self.copyIn) {
          sent += 1
          if sent > 10 { throw Stopped() }
          return Array("\(sent)\tx\n".utf8)
        }
      }
      try await #expect(client.read(Count()) == [Int64(0)])
    }
  }

  @Test func nothingIsKeptWhenARowIsMalformed() async throws {
    try await withTable { client in
      var rows = ["1\tone\n", "two\ttwo\n", "3\tthree\n"][...]
      let error = await #expect(throws: PostgresError.self) {
        try await client.copyIn(Self.copyIn) { rows.popFirst().map { Array($0.utf8) } }
      }
      #expect(error?.sqlState == "22P02")
      try await #expect(client.read(Count()) == [Int64(0)])
    }
  }

  @Test func commandsThatAreNoSuchCopyAreRefused() async throws {
    try await withTable { client in
      func code(_ command: CopyCommand) async -> PostgresError.Code? {
        do {
          try await client.copyOut(command) { _ in }
          return nil
        } catch {
          return (error as? PostgresError)?.code
        }
      }
      #expect(await code(Self.copyIn) == .misuse)
      #expect(await code(CopyCommand("SELECT 1")) == .misuse)
      #expect(
        await code(CopyCommand("COPY no_such_table TO STDOUT")) == .server(sqlState: "42P01"))
      #expect(
        await code(CopyCommand("COPY (SELECT 1 / 0) TO STDOUT")) == .server(sqlState: "22012"))
    }
  }

  @Test func transfersAtOnceAreBounded() async throws {
    try await withTable { client in
      let codes = await withTaskGroup(of: PostgresError.Code?.self) { group in
        for _ in 0..<Limits.streamsPerLoop + 2 {
          group.addTask(executorPreference: client.loop) {
            do {
              try await client.copyOut(CopyCommand("COPY (SELECT 1) TO STDOUT")) { _ in }
              return nil
            } catch {
              return (error as? PostgresError)?.code
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(codes.filter { $0 == .overloaded }.count == 2)
      #expect(codes.filter { $0 == nil }.count == Limits.streamsPerLoop)
    }
  }
}
