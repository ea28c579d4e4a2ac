import Testing

@testable import Postgres

/// What fails behind the last statement of a call, at the commit that the server makes for it.
@Suite(.timeLimit(.minutes(10))) struct FailedCommitTests {
  private struct Refused: Statement { static let sql = "INSERT INTO refused_commit VALUES (1)" }
  private struct Ended: Statement { static let sql = "INSERT INTO ended_commit VALUES (1)" }

  /// A table whose rows do something at the commit.
  private static func prepare(_ table: String, _ action: String) throws {
    try ScratchServer.execute(
      """
      CREATE TABLE \(table) (number int);
      CREATE FUNCTION \(table)() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN \(action); RETURN NULL; END$$;
      CREATE CONSTRAINT TRIGGER \(table) AFTER INSERT ON \(table)
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION \(table)()
      """)
  }

  @Test func itsReasonIsToldAndTheConnectionStays() async throws {
    try Self.prepare("refused_commit", "RAISE EXCEPTION 'refused' USING ERRCODE = '23514'")
    try await withClient(connections: 1) { client, events in
      let first = Task(executorPreference: client.loop) { try await client.write(Refused()) }
      let second = Task(executorPreference: client.loop) {
        try await client.write(Echo(value: Int32(2)))
      }
      let error = await #expect(throws: PostgresError.self) { try await first.value }
      #expect(error?.sqlState == "23514")
      try await #expect(second.value == [2])
      #expect(events.count("disconnected") == 0)
    }
  }

  @Test func aServerThatEndsThereIsQuoted() async throws {
    try Self.prepare("ended_commit", "PERFORM pg_terminate_backend(pg_backend_pid())")
    try await withClient(connections: 1) { client, events in
      let error = await #expect(throws: PostgresError.self) { try await client.write(Ended()) }
      #expect(error?.code == .disconnected)
      #expect(error?.isSafeToRetry == false)
      #expect(error?.message == "terminating connection due to administrator command")
      await events.wait(for: "connected", count: 2)
    }
  }
}
