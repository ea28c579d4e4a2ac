import AppTesting
import EventLoop
import Testing

@testable import App

/// What readiness says of a cluster of Citus; needs one (`make test-citus`).
@Suite(.enabled(if: ScratchCluster.isDistributed, "There is no cluster."))
struct ClusterReadinessTests {
  @Test func aDatabaseThatWasNotSpreadIsNotReady() async throws {
    let database = try await ScratchCluster.database(isMigrated: false)
    try await database.query("CREATE EXTENSION citus")
    let service = try await TestService.start(database: database)
    try await eventually {
      let reply = try await service.client(key: nil).get("/readyz")
      return reply.status == 503
        && reply.json["detail"].string?.contains("sql/citus.sql was not run") == true
    }
    await service.stop()
  }

  /// To the coordinator a server of another port is one that is down.
  @Test func serversThatAreDownAreTold() async throws {
    let service = try await TestService.start()
    var apps: [TestApp] = []
    for _ in 0..<12 { apps.append(try await service.app()) }
    let context = service.service.contexts[0]
    func look() async {
      await context.loop.run { await service.service.look(at: context.database) }
    }
    await look()
    try await eventually { try await service.client(key: nil).get("/readyz").status == 200 }

    let ports = try await service.database.query(
      "SELECT groupid, nodeport FROM pg_dist_node WHERE groupid > 0 ORDER BY groupid"
    ).map { ($0[0] ?? "", $0[1] ?? "") }
    func move(_ server: (group: String, port: String), to port: String) async throws {
      try await service.database.query(
        "UPDATE pg_dist_node SET nodeport = \(port) WHERE groupid = \(server.group)")
      await look()
    }
    try await move(ports[0], to: "1")
    try await eventually {
      let reply = try await service.client(key: nil).get("/readyz")
      return reply.status == 200 && reply.text.hasPrefix("ready\ndegraded: 1 of 2 servers")
        && reply.text.contains("(127.0.0.1:1)")
    }
    let metrics = try await service.client().get("/metrics").text
    #expect(metrics.contains("postilion_cluster_servers_down 1\n"))
    // Calls for apps of both servers share their rounds.
    let calls = (0..<4).flatMap { _ in apps }
    let statuses = try await withThrowingTaskGroup(of: (String, Int).self) { group in
      for app in calls {
        group.addTask {
          let path = app.installation(Sample.id())
          return (app.slug, try await app.client.put(path, Sample.report()).status)
        }
      }
      return try await group.reduce(into: [String: Set<Int>]()) {
        $0[$1.0, default: []].insert($1.1)
      }
    }
    #expect(Set(statuses.values) == [[201], [503]])

    try await move(ports[1], to: "2")
    try await eventually {
      let reply = try await service.client(key: nil).get("/readyz")
      return reply.status == 503
        && reply.json["detail"].string?.hasPrefix("No server of the cluster") == true
    }
    for server in ports { try await move(server, to: server.1) }
    try await eventually { try await service.client(key: nil).get("/readyz").status == 200 }
    await service.stop()
  }
}
