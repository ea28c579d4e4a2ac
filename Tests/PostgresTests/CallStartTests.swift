import EventLoop
import Testing

@testable import Postgres

/// All that a call waits for takes from one limit. Here it is long, and the call has a moment of it
/// left when it comes: whatever it waits for, it is told soon. If a wait had the whole limit for
/// itself, no test here would end in time.
@Suite(.timeLimit(.minutes(10))) struct CallStartTests {
  private static let hour: UInt64 = 3_600_000_000_000

  enum Wait: Sendable, CaseIterable {
    case read, write, statement, commit, place, behindOthers, stream
  }

  private struct Sleep: Statement {
    static let sql = "SELECT pg_sleep(7200)::text"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }
  private struct Visit: Statement { static let sql = "INSERT INTO slow_commit VALUES (1)" }

  /// A commit that waits, as for a synchronous standby that is stopped: no time limit of the server
  /// ends it.
  private static let slowCommit = """
    CREATE TABLE IF NOT EXISTS slow_commit (number int);
    CREATE OR REPLACE FUNCTION slow_commit() RETURNS trigger LANGUAGE plpgsql AS
      $$BEGIN PERFORM pg_sleep(7200); RETURN NULL; END$$;
    DROP TRIGGER IF EXISTS slow_commit ON slow_commit;
    CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON slow_commit
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow_commit()
    """

  @Test(arguments: Wait.allCases)
  func whatACallWaitsForTakesFromOneLimit(wait: Wait) async throws {
    if wait == .commit { try ScratchServer.execute(Self.slowCommit) }
    let silent = SilentServer()
    defer { silent.close() }
    try await withLoop { loop in
      let events = Events()
      let client = PostgresClient(
        try ScratchServer.address, connections: 1, loop: loop, answerNanoseconds: Self.hour,
        observe: { events.append($0) })
      client.start()
      defer { client.close() }
      await events.wait(for: "connected")
      let far = PostgresClient(
        try silent.address, connections: 1, loop: loop, answerNanoseconds: Self.hour)
      var error: PostgresError?
      repeat {
        // The call began when the machine did, and a moment is left. On a busy machine that may be
        // over before the call waits.
        for client in [client, far] { client.answerNanoseconds = loop.nanoseconds + 300_000_000 }
        error = await #expect(throws: PostgresError.self) {
          try await Self.run(wait, client, far)
        }
      } while error?.message == "the call's time is over"
      #expect(error?.code == .disconnected)
    }
  }

  private static func run(
    _ wait: Wait, _ client: PostgresClient, _ far: PostgresClient
  ) async throws {
    func asCall(_ body: () async throws -> Void) async throws {
      try await CallStart.$nanoseconds.withValue(0) { try await body() }
    }
    switch wait {
    case .read: try await asCall { _ = try await client.read(Sleep()) }
    case .write: try await asCall { _ = try await client.write(Sleep()) }
    case .statement:
      try await asCall { _ = try await client.transaction { try await $0.run(Sleep()) } }
    case .commit:
      try await asCall { _ = try await client.transaction { try await $0.run(Visit()) } }
    case .place:
      _ = try await client.transaction { transaction in
        _ = try await transaction.run(Echo(value: Int32(1)))
        try await asCall { _ = try await client.transaction { try await $0.run(Sleep()) } }
      }
    case .behindOthers:
      // The connection is busy with a statement of somebody else.
      client.loop.execute { _ = try? await client.write(Sleep()) }
      await client.loop.sleep(nanoseconds: 1)
      try await asCall { _ = try await client.read(Echo(value: Int32(1))) }
    case .stream: try await asCall { _ = try await far.open(Sleep()) }
    }
  }

  /// A call whose time is over gets nothing more, and nothing of it is done.
  @Test func aCallWhoseTimeIsOverIsRefused() async throws {
    try await withClient { client, _ in
      client.answerNanoseconds = 1_000_000
      let late = client.loop.nanoseconds - 2_000_000
      func refused(_ body: () async throws -> Void) async {
        let error = await #expect(throws: PostgresError.self) {
          try await CallStart.$nanoseconds.withValue(late) { try await body() }
        }
        #expect(error?.message == "the call's time is over")
        #expect(error?.isSafeToRetry == true)
      }
      await refused { _ = try await client.read(Echo(value: Int32(1))) }
      await refused { _ = try await client.write(Echo(value: Int32(1))) }
      await refused { _ = try await client.transaction { try await $0.run(Echo(value: "a")) } }
      await refused { _ = try await client.open(Echo(value: "a")) }
      await refused { _ = try await client.readApart(Echo(value: "a")) }
      client.answerNanoseconds = 120_000_000_000
    }
  }

  /// What a call leaves to be done behind it is of no call.
  @Test func whatACallStartsOnALoopIsOfNoCall() async throws {
    try await withLoop { loop in
      let (starts, told) = AsyncStream.makeStream(of: UInt64?.self)
      await CallStart.$nanoseconds.withValue(1) {
        loop.execute { told.yield(CallStart.nanoseconds) }
        await Task.yield()
      }
      for await start in starts {
        #expect(start == nil)
        break
      }
    }
  }
}
