import AppTesting
import EventLoop
import Testing

@testable import App
@testable import Postgres

/// A standby takes the place of the primary, and lacks what the primary acknowledged last.
@Suite struct FailoverTests {
  private func register(_ app: TestApp, _ count: Int) async throws {
    for _ in 0..<count {
      try await eventually {
        try await app.sender.put(app.installation(Sample.id()), Sample.report()).status == 201
      }
    }
  }

  private func cursor(_ app: TestApp) async throws -> String {
    try await app.sender.get("\(app.path)/changes?after=now").json["next_cursor"].string ?? ""
  }

  /// Nobody reads the feed before the first writes, and others write more to the new primary than
  /// the standby lacks.
  @Test func whoWasToldMoreThanTheStandbyHasIsToldSo() async throws {
    let cluster = try await StandbyCluster()
    defer { cluster.stop() }
    let service = try await TestService.start(database: cluster.primary, conninfo: cluster.both)
    let app = try await service.app()
    try await register(app, 5)
    let early = try await cursor(app)
    let end = try await cluster.primary.value("SELECT pg_current_wal_lsn()") ?? ""
    try await eventually {
      try await cluster.standby.value("SELECT pg_last_wal_replay_lsn() >= '\(end)'") == "t"
    }
    try await cluster.cutOffStandby()
    try await register(app, 20)
    let late = try await cursor(app)
    #expect(late != early)

    try await cluster.promoteStandby()
    for _ in 0..<60 { try await cluster.standby.query("SELECT pg_current_xact_id()") }
    cluster.endPrimary()
    try await register(app, 60)
    for _ in 0..<2 {
      let reply = try await app.sender.get("\(app.path)/changes?after=\(late)")
      #expect(reply.problem == "changes_gone")
    }
    let goesOn = try await app.sender.get("\(app.path)/changes?limit=1000&after=\(early)")
    #expect(goesOn.json["items"].elements.count >= 60)
    #expect(service.log.records.contains { $0["event"] == "life_begun" })
    await service.stop()
  }

  /// A service that names the standby alone: its sessions stay when that is promoted.
  @Test func aSessionThatBeganOnAStandbyWritesNothing() async throws {
    let cluster = try await StandbyCluster()
    defer { cluster.stop() }
    let first = try await TestService.start(database: cluster.primary)
    let app = try await first.app()
    try await register(app, 1)
    let end = try await cluster.primary.value("SELECT pg_current_wal_lsn()") ?? ""
    try await eventually {
      try await cluster.standby.value("SELECT pg_last_wal_replay_lsn() >= '\(end)'") == "t"
    }
    let text = cluster.standby.conninfo
    try await onLoop { loop in
      let shared = first.service.contexts[0].shared
      let address = try DatabaseAddress(text).beginning(with: shared.sessionBeginning)
      let client = PostgresClient(address, connections: 1, loop: loop)
      client.start()
      defer { client.close() }
      #expect(try await client.read(LifeCount()) == [1])
      try await cluster.promoteStandby()
      var refused = false
      while true {
        do {
          _ = try await client.write(WriteSomething())
          break
        } catch let error as PostgresError where error.condition == .readOnly {
          refused = true
        } catch let error as PostgresError where error.condition == .outage {
          // Between two sessions.
        }
      }
      #expect(refused)
      #expect(try await client.read(LifeCount()) == [2])
    }
    await first.stop()
  }

  /// An unfenced primary wakes beside the one that took its place.
  @Test func aSessionOfAFormerPrimaryIsClosed() async throws {
    let cluster = try await StandbyCluster()
    defer { cluster.stop() }
    let text = cluster.both
    let primary = cluster.primary
    try await onLoop { loop in
      let address = try DatabaseAddress(text)
      let old = PostgresClient(address, connections: 1, loop: loop)
      old.start()
      #expect(try await old.read(TimelineNumber()) == [1])
      try await cluster.cutOffStandby()
      try await cluster.promoteStandby()
      // New sessions pass the old one over, and come back to it when it takes changes again.
      let name = "ALTER DATABASE postilion"
      try await primary.query("\(name) SET default_transaction_read_only = on")
      let new = PostgresClient(address, connections: 1, loop: loop)
      new.start()
      #expect(try await new.read(TimelineNumber()) == [2])
      try await primary.query(
        "BEGIN READ WRITE; \(name) RESET default_transaction_read_only; COMMIT")
      await #expect(throws: PostgresError.self) { _ = try await old.write(TimelineNumber()) }
      #expect(try await old.write(TimelineNumber()) == [2])
      old.close()
      new.close()
    }
  }

  private func onLoop(_ body: @Sendable @escaping (EventLoop) async throws -> Void) async throws {
    let loop = try EventLoop()
    loop.start()
    defer { loop.stop() }
    try await Task(executorPreference: loop) { try await body(loop) }.value
  }

  private struct TimelineNumber: Statement {
    typealias Row = Int64
    static let sql = """
      SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int8
      """
  }
  private struct LifeCount: Statement {
    typealias Row = Int64
    static let sql = "SELECT count(*) FROM change_epoch"
  }
  private struct WriteSomething: Statement {
    static let sql = "SELECT FROM change_epoch FOR UPDATE"
  }
}
