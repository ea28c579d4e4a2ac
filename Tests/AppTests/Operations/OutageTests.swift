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
        context.loop.execute { _ = try? await context.database.read(NewestMigration()) }
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

  /// A careless migration. Calls that come one after the other wait in different rounds of reading.
  @Test func callsBehindALockWaitNoLongerThanOne() async throws {
    let service = try await TestService.start(databaseWaitSeconds: 5)
    let app = try await service.app()
    let holder = try await TestService.start(database: service.database)
    let (locks, lockTaken) = AsyncStream.makeStream(of: Void.self)
    let (ends, lockEnds) = AsyncStream.makeStream(of: Void.self)
    let context = holder.service.contexts[0]
    let lock = Task(executorPreference: context.loop) {
      try await context.database.transaction { transaction in
        _ = try await transaction.run(LockInstallations())
        lockTaken.finish()
        for await _ in ends {}
      }
    }
    for await _ in locks {}
    let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
      for _ in 0..<8 {
        group.addTask { try await app.admin.put(app.installation(Sample.id()), Sample.report()) }
        try await Task.sleep(for: .milliseconds(50))
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    lockEnds.finish()
    try await lock.value
    #expect(Set(replies.map(\.status)) == [503])
    let late = service.log.records.filter {
      $0["cause"].string?.contains("not read in time") == true
    }
    #expect(!late.isEmpty)
    #expect(try await app.admin.put(app.installation(Sample.id()), Sample.report()).status == 201)
    await holder.stop()
    await service.stop()
  }

  private struct LockInstallations: Statement {
    static let sql = "LOCK TABLE installation"
    static func decode(_ row: inout RowReader) throws(PostgresError) {}
  }

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
