import AppTesting
import EventLoop
import Testing

@testable import App
@testable import Postgres

/// The database goes away and comes back.
@Suite struct OutageTests {
  @Test func anOutageIsToldWithinSecondsAndEndsByItself() async throws {
    let service = try await TestService.start(databaseWaitSeconds: 5)
    let app = try await service.app()
    let path = app.installation(Sample.id())
    #expect(try await app.admin.put(path, Sample.report()).status == 201)

    try await service.database.close()
    let clock = ContinuousClock()
    let outage = clock.now
    for reply in try await concurrently([
      { try await app.admin.get(path) }, { try await app.admin.put(path, Sample.report()) },
      { try await app.admin.put(app.installation(Sample.id()), Sample.report()) },
      { try await app.admin.delete(path) }, { try await app.admin.get("/readyz") },
    ]) {
      let cause = service.log.records.last { $0["request_id"] == reply.json["request_id"] }
      #expect(reply.status == 503, "\(cause ?? .absent)")
      #expect(reply.problem == "database_unavailable")
      #expect(reply["retry-after"].flatMap { Int($0) } != nil)
    }
    #expect(clock.now - outage < .seconds(60))
    // What needs no database goes on.
    #expect(try await app.admin.get("/healthz").status == 200)
    #expect(try await app.admin.get(app.path).status == 200)
    #expect(try await app.client.get(app.path).status == 403)

    try await service.database.open()
    try await eventually { try await app.admin.get(path).status == 200 }
    #expect(try await app.admin.put(path, ["locale": "fr_FR"]).status == 200)
    try await eventually { try await app.admin.get("/readyz").status == 200 }
    // Also what listens for other instances' changes is back.
    let other = try await TestService.start(database: service.database)
    let key = try await other.client().post("\(app.path)/keys", ["kind": "admin"]).json["key"]
      .string
    try await eventually { try await service.client(key: key).get(app.path).status == 200 }
    await other.stop()
    await service.stop()
  }

  @Test func moreThanCanWaitIsTurnedAwayAtOnce() async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    try await service.database.close()
    let context = service.service.contexts[0]
    try await eventually { await context.loop.run { !context.database.isConnected } }
    // As many statements as may wait for a connection of a loop, and they wait for good.
    await context.loop.run {
      context.database.answerNanoseconds = .max
      for _ in 0..<4096 {
        context.loop.execute { _ = try? await context.database.read(.readSteps()) }
      }
    }
    let reply = try await app.admin.get(app.installation(Sample.id()))
    #expect(reply.status == 503)
    #expect(reply.problem == "overloaded")
    #expect(reply["retry-after"].flatMap { Int($0) } != nil)
    try await service.database.open()
    try await eventually { try await app.admin.get(app.installation(Sample.id())).status == 404 }
    await service.stop()
  }

  /// A careless migration. The first calls wait for their rounds of reading, and those that come
  /// later for a round that begins when those have ended.
  @Test(.onOnePostgres) func callsBehindALockWaitNoLongerThanOne() async throws {
    // So long that the later calls come before the first rounds end, on a busy machine as well.
    let service = try await TestService.start(databaseWaitSeconds: 20)
    let app = try await service.app()
    let lock = try await HeldLock(on: service.database, tables: "installation")
    var replies: [Task<Reply, any Error>] = []
    for reading in 1...8 {
      replies.append(
        Task { try await app.admin.put(app.installation(Sample.id()), Sample.report()) })
      // As many rounds as there may be are under way before the others come.
      if reading <= 2 { try await lock.waitForWaiting(reading) }
    }
    for reply in replies { #expect(try await reply.value.status == 503) }
    // Those who wait for a round that ends too late are told by their own clock, or, where the
    // server is so slow to end the statements before that their connection is given up, by that.
    let causes = service.log.records.compactMap { $0["cause"].string }
    #expect(causes.contains { $0.contains("in time") }, "\(causes)")
    try await lock.end()
    try await eventually {
      try await app.admin.put(app.installation(Sample.id()), Sample.report()).status == 201
    }
    await service.stop()
  }

  /// Calls whose reading takes three of five seconds, and whose commit never comes, as where the
  /// synchronous standby is stopped. They are told when their time is over; if reading and commit
  /// had the whole limit each, their connection would be given up first, after 7.5 s.
  @Test(.onOnePostgres, arguments: ["registration", "deletion", "feedback", "message", "webhook"])
  func aCallHasOneLimitForAllThatItWaitsFor(kind: String) async throws {
    let service = try await TestService.start(databaseWaitSeconds: 5)
    let app = try await service.app()
    let (path, token) = (app.installation(Sample.id()), Sample.token())
    #expect(try await app.admin.put(path, Sample.report(token)).status == 201)
    try await service.database.query(Self.commitsThatHang)
    let lock = try await HeldLock(
      on: service.database, tables: "installation, token_owner, message, webhook", seconds: 3)
    let clock = ContinuousClock()
    let began = clock.now
    let reply =
      switch kind {
      case "registration": try await app.admin.put(path, Sample.report())
      case "deletion": try await app.admin.delete(path)
      case "feedback":
        try await app.report([
          [
            "token": .string(token), "environment": "production", "status": 410,
            "reason": "Unregistered",
          ]
        ])
      case "message": try await app.admin.put("\(app.path)/messages/a", ["badge": 1])
      default: try await app.admin.post("\(app.path)/webhooks", ["url": "https://a.invalid/"])
      }
    let took = clock.now - began
    #expect(reply.status == 503)
    let cause = service.log.records.last { $0["request_id"] == reply.json["request_id"] }?["cause"]
    #expect(cause?.string?.contains("in time") == true, "\(reply.text)")
    #expect(
      cause?.string?.contains("the server has not answered") == false,
      "\(cause ?? .absent) after \(took)")
    try await lock.end()
    await service.stop()
  }

  /// No time limit of the server ends such a commit. It is over soon behind the longest wait, as no
  /// feed of any database of the server goes on meanwhile.
  private static let commitsThatHang = """
    CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS
      $$BEGIN PERFORM pg_sleep(10); RETURN NULL; END$$;
    """
    + ["installation", "token_owner", "message", "webhook", "audit_log"].map { table in
      """
      CREATE CONSTRAINT TRIGGER hang AFTER INSERT OR UPDATE OR DELETE ON \(table)
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hang();
      """
    }.joined()

  private func concurrently(
    _ requests: [@Sendable () async throws -> Reply]
  ) async throws -> [Reply] {
    try await withThrowingTaskGroup { group in
      for request in requests { group.addTask { try await request() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }
}

extension ScratchDatabase {
  /// Ends all connections and lets no new one in.
  func close() async throws {
    try await ScratchCluster.query("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
    try await ScratchCluster.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
  }

  /// Lets connections in again.
  func open() async throws {
    try await ScratchCluster.query("ALTER DATABASE \(name) ALLOW_CONNECTIONS true")
  }
}

/// A lock on tables that somebody holds.
private struct HeldLock {
  private let database: ScratchDatabase
  private let holder: Task<Void, any Error>

  /// - Parameter seconds: How long it is held, unless it is ended before.
  init(on database: ScratchDatabase, tables: String, seconds: Int = 600) async throws {
    self.database = database
    holder = Task {
      try await database.query("BEGIN; LOCK TABLE \(tables); SELECT pg_sleep(\(seconds)); COMMIT")
    }
    try await eventually { try await count("granted AND \(Self.isHeld)") > 0 }
  }

  private static let isHeld = "mode = 'AccessExclusiveLock'"

  /// Locks of the database's tables that are so.
  private func count(_ condition: String) async throws -> Int {
    let count = try await database.value(
      """
      SELECT count(*) FROM pg_locks JOIN pg_database ON database = pg_database.oid
      WHERE datname = current_database() AND locktype = 'relation' AND \(condition)
      """)
    return count.flatMap { Int($0) } ?? 0
  }

  /// Waits until so many statements wait for it.
  func waitForWaiting(_ count: Int) async throws {
    try await eventually { try await self.count("NOT granted") >= count }
  }

  /// Ends it, if it is still held.
  func end() async throws {
    try await database.query(
      """
      SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database ON database = pg_database.oid
      WHERE datname = current_database() AND granted AND \(Self.isHeld)
      """)
    _ = await holder.result
  }
}
