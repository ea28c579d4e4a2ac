import EventLoop
import Foundation
import Testing

@testable import Postgres

/// Connections that break, servers that go and come back.
@Suite(.timeLimit(.minutes(10))) struct OutageTests {
  /// Waits while another session holds the lock.
  private struct SlowRead: Statement {
    static let sql = "SELECT 'slow read', pg_advisory_xact_lock_shared(7)::text"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }
  private struct SlowWrite: Statement {
    static let sql = "SELECT 'slow write', pg_sleep(60)::text"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }

  @Test func readsAreSentAgainWhenTheirConnectionBreaks() async throws {
    try await withClient(connections: 1) { client, events in
      try await withClient { other, _ in
        let holder = Session(loop: other.loop)
        try await holder.open(ScratchServer.conninfo)
        try await holder.run("SELECT pg_advisory_lock(7)")
        let reading = Task(executorPreference: client.loop) {
          try await client.read(SlowRead())
        }
        let process = try await Backends.wait(for: "slow read", waiting: "advisory", other)
        try await #expect(other.write(Terminate(process: process)) == [true])
        holder.close()
        try await #expect(reading.value == ["slow read"])
      }
      await events.wait(for: "connected", count: 2)
      #expect(events.count("disconnected") == 1)
    }
  }

  @Test func aWritesOutcomeIsUnknownWhenItsConnectionBreaks() async throws {
    try await withClient(connections: 1) { client, _ in
      try await withClient { other, _ in
        let writing = Task(executorPreference: client.loop) {
          try await client.write(SlowWrite())
        }
        let process = try await Backends.wait(for: "slow write", waiting: "PgSleep", other)
        try await #expect(other.write(Terminate(process: process)) == [true])
        let error = await #expect(throws: PostgresError.self) { try await writing.value }
        #expect(error?.code == .disconnected)
        #expect(error?.isSafeToRetry == false)
      }
    }
  }

  @Test func aServerThatRestartsIsFoundAgain() async throws {
    let root = "/tmp/postilion tests/\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: root) }
    let server = ScratchServer.make("\(root)/data")
    defer { server.stop() }
    try await withClient(try server.start()) { client, events in
      #expect(client.isConnected)
      client.waitNanoseconds = 100_000_000_000
      await Task.detached { server.stop() }.value
      await events.wait(for: "connect failed", count: 4)
      #expect(!client.isConnected)
      // What is asked meanwhile waits for the server.
      let waiting = Task(executorPreference: client.loop) {
        try await client.write(Echo(value: "patient"))
      }
      _ = try await Task.detached { try server.start() }.value
      try await #expect(waiting.value == ["patient"])
      #expect(client.isConnected)
    }
  }

  @Test func nobodyWaitsForEverForADeadServer() async throws {
    try await withLoop { loop in
      let client = PostgresClient("host=127.0.0.1 port=1", connections: 1, loop: loop)
      client.waitNanoseconds = 1
      client.start()
      let transaction = Task(executorPreference: loop) {
        try await client.transaction { try await $0.run(Echo(value: Int32(1))) }
      }
      let error = await #expect(throws: PostgresError.self) {
        _ = try await client.read(Echo(value: Int32(1)))
      }
      #expect(error?.code == .disconnected)
      #expect(error?.isSafeToRetry == true)
      await #expect(throws: PostgresError.self) { try await transaction.value }
      client.close()
    }
  }

  /// libpq closes the socket of the host that refused, and opens the next under its number.
  @Test func hostsAreTriedInTurn() async throws {
    let path = try #require(
      try ScratchServer.conninfo.split(separator: "host='").last?.split(separator: "'").first)
    let conninfo =
      "host='127.0.0.1,127.0.0.1,\(path)' port='1,1,5432' user=postilion dbname=postilion"
    try await withClient(conninfo) { _, events in
      #expect(!events.names.contains("connect failed"))
    }
  }

  @Test func closingEndsWhatIsUnderWayAndWhatComesLater() async throws {
    try await withLoop { loop in
      let events = Events()
      let client = PostgresClient(
        try ScratchServer.conninfo, connections: 1, loop: loop, observe: { events.append($0) })
      client.start()
      await events.wait(for: "connected")
      try await #expect(client.read(Echo(value: Int32(1))) == [1])
      let writing = Task(executorPreference: loop) { try await client.write(SlowWrite()) }
      let waiting = Task(executorPreference: loop) {
        try await client.transaction { try await $0.run(Echo(value: Int32(1))) }
      }
      await loop.sleep(nanoseconds: 1)
      client.close()
      await #expect(throws: PostgresError.self) { try await writing.value }
      await #expect(throws: PostgresError.self) { try await waiting.value }
      let later = await #expect(throws: PostgresError.self) {
        _ = try await client.read(Echo(value: Int32(1)))
      }
      #expect(later?.isSafeToRetry == true)
    }
  }

  @Test func aClientThatIsClosedWhileItConnectsStaysClosed() async throws {
    try await withLoop { loop in
      let conninfo = try ScratchServer.conninfo
      let client = PostgresClient(conninfo, connections: 3, loop: loop, observe: { _ in })
      client.start()
      await loop.sleep(nanoseconds: 1)
      client.close()
      // One that began later, and took the whole way, is connected.
      let events = Events()
      let later = PostgresClient(
        conninfo, connections: 3, loop: loop, observe: { events.append($0) })
      later.start()
      await events.wait(for: "connected")
      #expect(!client.isConnected)
      later.close()
    }
  }

  @Test func aClosedSessionFailsSoftly() async throws {
    try await withLoop { loop in
      let session = Session(loop: loop)
      try await session.open(ScratchServer.conninfo)
      try await #expect(session.run("SELECT 1") == [["1"]])
      let error = await #expect(throws: PostgresError.self) { try await session.run("SELECT 1/0") }
      #expect(error?.sqlState == "22012")
      try await #expect(session.run("SELECT 2; SELECT 3") == [["2"], ["3"]])
      let copy = await #expect(throws: PostgresError.self) {
        try await session.run("COPY (SELECT 1) TO STDOUT")
      }
      #expect(copy?.code == .misuse)
      await #expect(throws: PostgresError.self) { try await session.run("SELECT 1") }
      await #expect(throws: PostgresError.self) { _ = try await session.nextNotification() }
    }
  }
}
