import AppTesting
import Testing

@testable import App

/// A service that reads lists, exports, statistics and audiences from a hot standby.
@Suite struct ReplicaTests {
  @Test func whatMayLagComesFromAReplicaThatIsNear() async throws {
    let cluster = try await StandbyCluster()
    defer { cluster.stop() }
    try await readsWhatItHas(cluster)
    try await isNotAskedTooFarBehind(cluster)
    try await isNotMissed(cluster)
  }

  private func withService(
    on cluster: StandbyCluster, lagSeconds: UInt64,
    _ body: (TestService, TestApp) async throws -> Void
  ) async throws {
    let service = try await TestService.start(
      database: cluster.primary, replica: (cluster.standby.conninfo, lagSeconds))
    let app = try await service.app()
    try await eventually {
      _ = try await app.admin.get("\(app.path)/installations")
      return try await Self.reads(service, by: "replica") > 0
    }
    try await body(service, app)
    await service.stop()
  }

  private static func reads(_ service: TestService, by server: String) async throws -> Int {
    let text = try await service.client().get("/metrics").text
    let name = "postilion_replica_reads_total{server=\"\(server)\"} "
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name) })
    return try #require(Int(line.dropFirst(name.count)))
  }

  private func readsWhatItHas(_ cluster: StandbyCluster) async throws {
    try await withService(on: cluster, lagSeconds: 3600) { service, app in
      let list = "\(app.path)/installations"
      let first = Sample.id()
      #expect(try await app.client.put(app.installation(first), Sample.report()).status == 201)
      try await eventually {
        try await app.admin.get(list).json["items"][0]["installation_id"].string == first
      }

      // The replica hears of nothing more, so whoever reads it sees one device.
      try await cluster.standby.query("SELECT pg_wal_replay_pause()")
      let second = Sample.id()
      #expect(try await app.client.put(app.installation(second), Sample.report()).status == 201)
      let before = try await Self.reads(service, by: "primary")
      #expect(try await app.admin.get(list).json["items"].elements.count == 1)
      let lines = try await app.admin.send(
        "GET", list, fields: [("Accept", "application/x-ndjson")])
      #expect(lines.text.split(separator: "\n").count == 1)
      let stats = try await app.admin.get("\(app.path)/stats?max_age=0")
      #expect(stats.json["total"] == 1)
      #expect(try await app.admin.get("\(app.path)/failures").status == 200)
      #expect(try await Self.reads(service, by: "primary") == before)

      // One device is looked up where it was registered.
      #expect(try await app.admin.get(app.installation(second)).status == 200)

      try await cluster.standby.query("SELECT pg_wal_replay_resume()")
      try await eventually { try await app.admin.get(list).json["items"].elements.count == 2 }
    }
  }

  private func isNotAskedTooFarBehind(_ cluster: StandbyCluster) async throws {
    try await withService(on: cluster, lagSeconds: 5) { _, app in
      let list = "\(app.path)/installations"
      try await cluster.standby.query("SELECT pg_wal_replay_pause()")
      #expect(
        try await app.client.put(app.installation(Sample.id()), Sample.report()).status == 201)
      try await eventually { try await app.admin.get(list).json["items"].elements.count == 1 }
      try await cluster.standby.query("SELECT pg_wal_replay_resume()")
    }
  }

  /// What was the standby takes changes of its own since, and hears of none of the primary's.
  @Test func aPromotedStandbyIsLeft() async throws {
    let cluster = try await StandbyCluster()
    defer { cluster.stop() }
    try await withService(on: cluster, lagSeconds: 3600) { _, app in
      try await cluster.standby.query("SELECT pg_promote()")
      #expect(
        try await app.client.put(app.installation(Sample.id()), Sample.report()).status == 201)
      try await eventually {
        try await app.admin.get("\(app.path)/installations").json["items"].elements.count == 1
      }
    }
  }

  /// However much of its own primary's log it has.
  @Test func aStandbyOfAnotherClusterIsNotRead() async throws {
    let (mine, other) = (try await StandbyCluster(), try await StandbyCluster())
    defer {
      mine.stop()
      other.stop()
    }
    let stranger = try await TestService.start(database: other.primary)
    await stranger.stop()
    for _ in 0..<8 {
      try await other.primary.query("SELECT pg_switch_wal(), txid_current()")
    }
    let far = try #require(
      try await other.primary.value("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn"))
    try await eventually {
      try await other.standby.value(
        "SELECT pg_last_wal_replay_lsn() - '0/0'::pg_lsn >= \(far)") == "t"
    }
    let service = try await TestService.start(
      database: mine.primary, replica: (other.standby.conninfo, 3600))
    let app = try await service.app()
    try await eventually {
      try await other.standby.value(
        """
        SELECT count(*) FROM pg_stat_activity
        WHERE state = 'idle' AND query LIKE '%pg_last_wal_replay_lsn%' AND pid <> pg_backend_pid()
        """) != "0"
    }
    #expect(try await app.client.put(app.installation(Sample.id()), Sample.report()).status == 201)
    #expect(
      try await app.admin.get("\(app.path)/installations").json["items"].elements.count == 1)
    #expect(try await Self.reads(service, by: "replica") == 0)
    await service.stop()
  }

  private func isNotMissed(_ cluster: StandbyCluster) async throws {
    try await withService(on: cluster, lagSeconds: 3600) { _, app in
      let list = "\(app.path)/installations"
      cluster.endStandby()
      #expect(
        try await app.client.put(app.installation(Sample.id()), Sample.report()).status == 201)
      #expect(try await app.admin.get(list).json["items"].elements.count == 1)
      let lines = try await app.admin.send(
        "GET", list, fields: [("Accept", "application/x-ndjson")])
      #expect(lines.text.split(separator: "\n").count == 1)
    }
  }
}

/// How far behind a replica is, from two places in a log.
@Suite struct ReplicaProgressTests {
  @Test func theLagIsTheAgeOfWhatWasReached() {
    var progress = ReplicaProgress()
    #expect(progress.lag(at: 5) == nil)
    progress.replayed(900)
    #expect(progress.lag(at: 5) == nil)
    progress.written(1000, at: 10)
    progress.replayed(999)
    #expect(progress.lag(at: 20) == nil)
    progress.written(1000, at: 30)
    progress.written(2000, at: 40)
    progress.replayed(1000)
    #expect(progress.lag(at: 50) == 20)
    progress.replayed(5000)
    #expect(progress.lag(at: 50) == 10)
    #expect(progress.lag(at: 90) == 50)
  }

  @Test func aLogThatBeganAnewIsFollowed() {
    var progress = ReplicaProgress()
    progress.written(5000, at: 10)
    progress.written(100, at: 20)
    progress.replayed(100)
    #expect(progress.lag(at: 25) == 5)
  }

  @Test func marksAreBounded() {
    var progress = ReplicaProgress()
    for second in 0..<1000 { progress.written(Int64(second), at: UInt64(second)) }
    progress.replayed(999)
    #expect(progress.lag(at: 1000) == UInt64(1000 - (Limits.replicaMarks - 1)))
  }
}
