import AppTesting
import Postgres
import Testing

@testable import App

/// A pooler between service and database, of Debian. A test is skipped where it is missing.
@Suite(.enabled(if: PgBouncer.program != nil, "pgbouncer is not installed"))
struct PgBouncerTests {
  /// A database that only the pooler of a test uses.
  private func withPgBouncer(
    _ mode: String, isMigrated: Bool = true,
    _ body: (_ pooled: ScratchDatabase, _ direct: ScratchDatabase) async throws -> Void
  ) async throws {
    let direct = try await ScratchCluster.database(isMigrated: isMigrated)
    let pooler = try await PgBouncer(mode, before: direct)
    defer { pooler.stop() }
    try await body(pooler.database, direct)
  }

  @Test func instancesServeBehindAPoolInSessionMode() async throws {
    try await withPgBouncer("session", isMigrated: false) { pooled, direct in
      let first = try await TestService.start(database: pooled)
      let second = try await TestService.start(database: pooled)
      let app = try await first.app()
      let path = app.installation(Sample.id())
      #expect(try await app.client.put(path, Sample.report()).status == 201)

      // A stream, and a bulk transfer.
      let lines = try await app.admin.send(
        "GET", "\(app.path)/installations", fields: [("Accept", "application/x-ndjson")])
      #expect(lines.status == 200)
      let imported = try await app.admin.send(
        "POST", "\(app.path)/installations/import", body: lines.body,
        fields: [("Content-Type", "application/x-ndjson")])
      #expect(imported.json["unchanged"] == 1)

      // Nothing but a notice tells the other instance.
      let elsewhere = second.client(key: app.keys["sender"])
      try await eventually { try await elsewhere.get(path).status == 200 }
      let keys = try await app.admin.get("\(app.path)/keys")
      let id = try #require(keys.json["items"][1]["id"].string)
      #expect(try await app.admin.delete("\(app.path)/keys/\(id)").status == 204)
      try await eventually { try await elsewhere.get(path).status == 401 }

      // What a session was set to is set by the server, and ends with the session.
      let locks = """
        SELECT count(*) FROM pg_locks JOIN pg_database AS here ON here.oid = database
        WHERE locktype = 'advisory' AND datname = current_database()
        """
      try await eventually { try await direct.value(locks) == "0" }
      await first.stop()
      await second.stop()
      let setting = try await pooled.value("SHOW enable_seqscan")
      #expect(setting == "on")
    }
  }

  @Test(arguments: ["transaction", "statement"])
  func aPoolThatSharesSessionsIsRefused(mode: String) async throws {
    try await withPgBouncer(mode, isMigrated: false) { pooled, direct in
      try await eventuallyFails("the pooler in front of the database shares sessions") {
        try await TestService.start(database: pooled).stop()
      }
      let table = try await direct.value("SELECT to_regclass('schema_migration')")
      #expect(table == nil)
    }
  }

  @Test func aReplicaBehindSuchAPoolIsRefusedAndOneThatIsGoneIsNot() async throws {
    try await withPgBouncer("transaction") { pooled, direct in
      // On a busy machine it may take the pooler for one that cannot be reached, and starts.
      try await eventuallyFails("POSTILION_READ_URL: the pooler in front of the database") {
        try await TestService.start(database: direct, replica: (pooled.conninfo, 10)).stop()
      }
      let service = try await TestService.start(
        database: direct, replica: ("host=127.0.0.1 port=1", 10))
      await service.stop()
    }
  }

  /// `postilion maintain`, which has an account of its own, and perhaps another address.
  @Test func maintenanceBehindSuchAPoolIsRefused() async throws {
    try await withPgBouncer("transaction") { pooled, _ in
      let configuration = try Configuration(
        .maintain, values: ["POSTILION_DATABASE_TIMEOUT_SECONDS": "60"], cores: 1,
        isTerminal: false)
      try await eventuallyFails("shares sessions between clients") {
        let service = try Service(configuration, database: DatabaseAddress(pooled.conninfo))
        _ = try await service.maintain()
      }
    }
  }
}
