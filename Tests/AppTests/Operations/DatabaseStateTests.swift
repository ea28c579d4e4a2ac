import AppTesting
import Testing

/// States in which the database refuses changes: clients hear 503 and come back, operators read the
/// reason.
@Suite struct DatabaseStateTests {
  /// What the database says of itself, by a trigger in its place.
  @Test(.onOnePostgres) func statesOfTheDatabaseAre503() async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    let path = app.installation(Sample.id())
    func put(whenItSays state: String) async throws -> Reply {
      try await service.database.query(
        """
        CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
          $$BEGIN RAISE 'a state' USING ERRCODE = '\(state)'; END$$;
        DROP TRIGGER IF EXISTS refuse ON installation;
        CREATE TRIGGER refuse BEFORE INSERT ON installation EXECUTE FUNCTION refuse()
        """)
      return try await app.admin.put(path, Sample.report())
    }
    for (states, code) in [
      (["08006", "53300", "57P01", "57P02", "57P03"], "database_unavailable"),
      (["25006", "53000", "53100", "53200", "53400", "58030"], "database_unavailable"),
      (["40001", "40P01", "55006", "55P03", "57014"], "overloaded"),
    ] {
      for state in states {
        let reply = try await put(whenItSays: state)
        #expect(reply.status == 503, "\(state)")
        #expect(reply.problem == code, "\(state)")
        #expect(reply["retry-after"].flatMap { Int($0) } != nil, "\(state)")
      }
    }
    #expect(
      try await put(whenItSays: "53100").json["detail"] == "The disk of the database is full.")
    let own = try await put(whenItSays: "22012")
    #expect(own.status == 500)
    #expect(own["retry-after"] == nil)
    try await service.database.query("DROP TRIGGER refuse ON installation")
    #expect(try await app.admin.put(path, Sample.report()).status == 201)
    await service.stop()
  }

  /// Two attempts lose, and the third one passes.
  @Test(.onOnePostgres) func whatLostADeadlockIsDecidedAnew() async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    try await service.database.query(
      """
      CREATE SEQUENCE attempts;
      -- With the rights of the test: the service has none on the sequence.
      CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
        $$BEGIN
          IF nextval('attempts') <= 2 THEN RAISE 'lost' USING ERRCODE = '40P01'; END IF;
          RETURN NEW;
        END$$;
      CREATE TRIGGER lose BEFORE INSERT ON installation FOR EACH ROW EXECUTE FUNCTION lose()
      """)
    let reply = try await app.admin.put(app.installation(Sample.id()), Sample.report())
    #expect(reply.status == 201)
    #expect(try await service.database.value("SELECT last_value FROM attempts") == "3")
    await service.stop()
  }

  /// As a database whose disk is watched, or a primary that has become a standby.
  @Test func aDatabaseThatIsReadOnlyServesReadsAndIsFoundOut() async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    let path = app.installation(Sample.id())
    #expect(try await app.admin.put(path, Sample.report()).status == 201)
    // A database that is busy is not ready within its second.
    try await eventually { try await app.admin.get("/readyz").status == 200 }

    try await service.database.set("default_transaction_read_only = on")
    let words: JSON = "The database takes no changes: it is a standby, or was set to be read-only."
    // The connections that broke are told of first.
    try await eventually {
      let reply = try await app.client.put(app.installation(Sample.id()), Sample.report())
      return reply.status == 503 && reply["retry-after"] == "1" && reply.json["detail"] == words
    }
    try await eventually {
      let reply = try await app.admin.get("/readyz")
      return reply.status == 503 && reply["retry-after"] == "1" && reply.json["detail"] == words
    }
    try await eventually { try await app.sender.get(path).status == 200 }

    // Nobody breaks the connections this time: the service leaves them by itself.
    try await ScratchCluster.query(
      "ALTER DATABASE \(service.database.name) RESET default_transaction_read_only")
    try await eventually {
      try await app.client.put(app.installation(Sample.id()), Sample.report()).status == 201
    }
    try await eventually { try await app.admin.get("/readyz").status == 200 }
    await service.stop()
  }

  /// Readiness writes a little more than the memory holds. A bound on such files is in its way as a
  /// full disk is.
  @Test func aDiskWithoutRoomIsNotReady() async throws {
    let service = try await TestService.start()
    try await service.database.set("temp_file_limit = '64kB'")
    try await eventually {
      let reply = try await service.client().get("/readyz")
      return reply.json["detail"].string?.contains("(SQLSTATE 53400)") == true
    }
    try await service.database.set("temp_file_limit = -1")
    try await eventually { try await service.client().get("/readyz").status == 200 }
    await service.stop()
  }

  /// However often it is asked, readiness leaves nothing behind.
  @Test func readinessLeavesNothingBehind() async throws {
    let service = try await TestService.start()
    func state() async throws -> [[String?]] {
      try await service.database.query(
        """
        SELECT pg_relation_size('schema_migration'), (SELECT count(*) FROM token_history),
          (SELECT count(*) FROM audit_log), (SELECT max(ctid::text) FROM schema_migration)
        """)
    }
    let before = try await state()
    for _ in 0..<50 { _ = try await service.client(key: nil).get("/readyz") }
    #expect(try await state() == before)
    await service.stop()
  }
}

extension ScratchDatabase {
  /// Sets something for all connections to come, and ends those that are.
  fileprivate func set(_ setting: String) async throws {
    try await ScratchCluster.query("ALTER DATABASE \(name) SET \(setting)")
    try await ScratchCluster.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
  }
}
