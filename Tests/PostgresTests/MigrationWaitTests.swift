import EventLoop
import Testing

@testable import Postgres

/// Steps that meet others, or their end. Each test in a database of its own.
@Suite(.timeLimit(.minutes(10))) struct MigrationWaitTests {
  private static let first = Migration(
    name: "m0001_first", sql: "CREATE TABLE log (step text); INSERT INTO log VALUES (NULL)")
  private static let column = Migration(
    name: "m0002_column", sql: "ALTER TABLE log ADD COLUMN extra text")

  /// A database with the first step, and a migration of it that goes on meanwhile.
  private struct Scene {
    let loop: EventLoop
    let address: DatabaseAddress
    let stop = MigrationStop()
    let events = AsyncStream.makeStream(of: String.self)

    func migration(_ step: Migration) -> Task<[String], any Error> {
      let (address, loop, stop, events) = (address, loop, stop, events.continuation)
      return Task(executorPreference: loop) {
        defer { events.finish() }
        return try await migrate(address, [MigrationWaitTests.first, step], loop: loop, stop: stop)
        { event in
          if case .waits(let step, let hindrance) = event {
            events.yield("\(step.name) \(hindrance)")
          }
        }
      }
    }

    func session() async throws -> Session {
      let session = Session(loop: loop)
      try await session.open(address)
      return session
    }

    /// Asks until it is so: what the server does by itself is seen only by asking.
    func until(_ question: String, is answer: String, _ session: Session) async throws {
      while try await session.run(question) != [[answer]] {
        await loop.sleep(nanoseconds: 5_000_000)
      }
    }
  }

  private func withScene(
    _ name: String, _ body: @Sendable @escaping (Scene) async throws -> Void
  ) async throws {
    try ScratchServer.execute("CREATE DATABASE \(name)")
    let address = try DatabaseAddress(ScratchServer.conninfo + " dbname='\(name)'")
    try await withLoop { loop in
      _ = try await migrate(address, [Self.first], loop: loop)
      try await body(Scene(loop: loop, address: address))
    }
  }

  /// As beside `pg_dump`: readers of all tables that stay for long.
  @Test func whoComesBehindAStepThatWaitsPassesSoon() async throws {
    try await withScene("migration_beside_dump") { scene in
      let dump = try await scene.session()
      try await dump.run(
        "SET application_name = 'pg_dump'; BEGIN; LOCK TABLE log IN ACCESS SHARE MODE")
      let process = try await dump.backend()
      let migration = scene.migration(Self.column)
      // Longer than a second is refused.
      let writer = try await scene.session()
      try await writer.run("SET lock_timeout = '1s'")
      let writing = Task(executorPreference: scene.loop) {
        while !Task.isCancelled {
          try await writer.run("INSERT INTO log (step) VALUES ('meanwhile')")
        }
      }
      var news = scene.events.stream.makeAsyncIterator()
      #expect(await news.next() == "m0002_column log, held by \(process) (pg_dump)")
      // An older program, which has nothing to apply, starts meanwhile.
      #expect(try await migrate(scene.address, [Self.first], loop: scene.loop).isEmpty)
      writing.cancel()
      try await writing.value
      try await dump.run("COMMIT")
      #expect(try await migration.value == ["m0002_column"])
    }
  }

  @Test func aStepThatIsStoppedLeavesNothing() async throws {
    try await withScene("migration_stopped") { scene in
      let long = Migration(
        name: "m0002_long", sql: "INSERT INTO log VALUES ('long'); SELECT pg_sleep(3600)")
      let migration = scene.migration(long)
      let watch = try await scene.session()
      let active = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'BEGIN;%pg_sleep(3600)%'"
      try await scene.until(active, is: "1", watch)
      scene.stop.ask()
      let error = await #expect(throws: PostgresError.self) { _ = try await migration.value }
      #expect(error?.sqlState == "57014")
      try await scene.until(active, is: "0", watch)
      #expect(try await watch.run("SELECT count(*) FROM log") == [["1"]])
      #expect(try await watch.run("SELECT name FROM schema_migration") == [["m0001_first"]])
      // What is stopped stays so.
      let later = await #expect(throws: PostgresError.self) {
        _ = try await scene.migration(long).value
      }
      #expect(later?.message == "the migration was given up")
    }
  }

  @Test func anInstanceThatWaitsForItsTurnGivesUp() async throws {
    try await withScene("migration_turn") { scene in
      let other = try await scene.session()
      try await other.run("SELECT pg_advisory_lock(8102099357864587631)")
      let process = try await other.backend()
      let migration = scene.migration(Self.column)
      var news = scene.events.stream.makeAsyncIterator()
      #expect(await news.next() == "m0002_column its turn, held by \(process) (postilion)")
      scene.stop.ask()
      await #expect(throws: PostgresError.self) { _ = try await migration.value }
    }
  }

  @Test func aStepInPortionsGoesOnWhereItWasBrokenOff() async throws {
    try await withScene("migration_portions") { scene in
      let session = try await scene.session()
      try await session.run("INSERT INTO log SELECT NULL FROM generate_series(1, 24)")
      // The third of its portions, which has five rows, is refused.
      try await session.run(
        "CREATE TABLE portion (size int, CHECK (size <> 5)); CREATE SEQUENCE number")
      let portion = """
        WITH changed AS (
          UPDATE log SET step = nextval('number') WHERE ctid IN (
            SELECT ctid FROM log WHERE step IS NULL LIMIT 10) RETURNING 1
        ), noted AS (INSERT INTO portion SELECT count(*) FROM changed)
        SELECT count(*) FROM changed
        """
      let step = Migration(name: "m0002_fill", sql: portion, isInPortions: true)
      let error = await #expect(throws: PostgresError.self) {
        _ = try await scene.migration(step).value
      }
      #expect(error?.sqlState == "23514")
      #expect(try await session.run("SELECT count(step) FROM log") == [["20"]])
      try await session.run("ALTER TABLE portion DROP CONSTRAINT portion_size_check")
      #expect(try await scene.migration(step).value == ["m0002_fill"])
      #expect(try await session.run("SELECT count(step) FROM log") == [["25"]])
      #expect(
        try await session.run("SELECT size FROM portion") == [["10"], ["10"], ["5"], ["0"]])
    }
  }
}
