import EventLoop
import Testing

@testable import Postgres

/// Each test in a database of its own.
@Suite(.timeLimit(.minutes(10))) struct MigratorTests {
  private struct Steps: Statement {
    static let sql = "SELECT name FROM schema_migration ORDER BY applied_at"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }
  private struct Log: Statement {
    static let sql = "SELECT step FROM log ORDER BY number"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }

  static let steps = [
    Migration(name: "m0002_second", sql: "INSERT INTO log (step) VALUES ('second'); -- done"),
    Migration(
      name: "m0001_first",
      sql: "CREATE TABLE log (number serial, step text); INSERT INTO log (step) VALUES ('first');"),
    Migration(name: "m0003_third", sql: "INSERT INTO log (step) VALUES ('third')"),
  ]

  private func withDatabase(
    _ name: String, _ body: @Sendable @escaping (EventLoop, DatabaseAddress) async throws -> Void
  ) async throws {
    try ScratchServer.execute("CREATE DATABASE \(name)")
    let address = try DatabaseAddress(ScratchServer.conninfo + " dbname='\(name)'")
    try await withLoop { try await body($0, address) }
  }

  @Test func stepsAreAppliedInOrderAndOnce() async throws {
    try await withDatabase("migrated_once") { loop, address in
      try await #expect(
        migrate(address, Array(Self.steps[..<2]), loop: loop)
          == ["m0001_first", "m0002_second"])
      try await #expect(migrate(address, Self.steps, loop: loop) == ["m0003_third"])
      try await #expect(migrate(address, Self.steps, loop: loop) == [])
      // An older program leaves a newer database alone.
      try await #expect(migrate(address, Array(Self.steps[..<1]), loop: loop) == [])
      try await withClient(address) { client, _ in
        try await #expect(client.read(Log()) == ["first", "second", "third"])
        try await #expect(
          client.read(Steps()) == ["m0001_first", "m0002_second", "m0003_third"])
      }
    }
  }

  /// Not even a step that the database lacks.
  @Test func aDatabaseOfNewerProgramsIsRefused() async throws {
    try await withDatabase("migrated_by_newer_programs") { loop, address in
      let newer = Migration(
        name: "m0004_newer",
        sql: "CREATE TABLE least_program AS SELECT 'm0004_newer'::text AS step")
      _ = try await migrate(address, [Self.steps[1], newer], loop: loop)
      let error = await #expect(throws: PostgresError.self) {
        _ = try await migrate(address, Self.steps, loop: loop)
      }
      #expect(error?.code == .outdated)
      #expect(
        error?.description
          == "The schema is for programs that know the step m0004_newer, and this one ends with "
          + "m0003_third: install a newer release.")
      try await #expect(
        migrate(address, Self.steps + [newer], loop: loop) == ["m0002_second", "m0003_third"])
    }
  }

  @Test func instancesThatStartAtOnceTakeTurns() async throws {
    try await withDatabase("migrated_together") { loop, address in
      let names = try await withThrowingTaskGroup(of: [String].self) { group in
        for _ in 0..<4 {
          group.addTask(executorPreference: loop) {
            try await migrate(address, Self.steps, loop: loop)
          }
        }
        var names: [String] = []
        for try await applied in group { names += applied }
        return names
      }
      #expect(names == ["m0001_first", "m0002_second", "m0003_third"])
    }
  }

  @Test func aStepThatFailsLeavesNothing() async throws {
    try await withDatabase("migrated_badly") { loop, address in
      let bad = Migration(
        name: "m0002_bad", sql: "INSERT INTO log (step) VALUES ('bad'); SELECT 1 / 0")
      let error = await #expect(throws: PostgresError.self) {
        _ = try await migrate(address, [Self.steps[1], bad], loop: loop)
      }
      #expect(error?.sqlState == "22012")
      try await #expect(
        migrate(address, Self.steps, loop: loop) == ["m0002_second", "m0003_third"])
      try await withClient(address) { client, _ in
        try await #expect(client.read(Log()) == ["first", "second", "third"])
      }
    }
  }

  @Test func aServerThatIsNotThereIsSaidSo() async throws {
    try await withLoop { loop in
      let error = await #expect(throws: PostgresError.self) {
        _ = try await migrate(
          DatabaseAddress("host=127.0.0.1 port=1"), Self.steps, loop: loop)
      }
      #expect(error?.code == .disconnected)
      #expect(error?.message == "Connection refused")
    }
  }
}
