import AppTesting
import Glibc
import Testing

@testable import App

/// The real program is killed while it delivers.
@Suite struct WebhookKillTests {
  /// Delivers what another instance over the same database takes in.
  private func deliverer(_ service: TestService) throws -> RunningProcess {
    try RunningProcess(
      ["serve", "--listen", "127.0.0.1:0", "--loops", "1"],
      environment: [
        "DATABASE_URL": service.database.conninfo, "POSTILION_ROOT_KEY": TestService.rootKey,
        "POSTILION_WEBHOOK_NETWORKS": "127.0.0.0/8", "POSTILION_WEBHOOK_PLAIN_HTTP": "true",
      ])
  }

  /// Nothing is missing, whatever arrives twice has its id, and the first arrivals about an
  /// installation are in the order of the feed.
  @Test func nothingIsLostAndTheOrderIsKept() async throws {
    let service = try await TestService.start(webhookNetworks: ["127.0.0.0/8"])
    let app = try await service.app()
    let receiver = TestReceiver { _ in
      // So that some are under way when it is killed.
      usleep(20_000)
      return (200, [])
    }
    let made = try await app.admin.post(
      "\(app.path)/webhooks", ["url": .string(receiver.url())])
    let path = "\(app.path)/webhooks/\(made.json["id"].string ?? "")"
    for _ in 0..<4 {
      let before = receiver.all.count
      for _ in 0..<10 {
        let id = Sample.id()
        for _ in 0..<4 { _ = try await app.admin.put(app.installation(id), Sample.report()) }
      }
      let process = try deliverer(service)
      try await eventually { receiver.all.count > before }
      process.signal(SIGKILL)
      #expect(try await process.end() == 128 + SIGKILL)
    }
    let process = try deliverer(service)
    try await eventually { Set(receiver.all.map(\.id)).count == 160 }
    try await eventually { try await app.admin.get(path).json["pending"] == 0 }
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)

    let changes = try await app.sender.get("\(app.path)/changes?limit=1000").json["items"].elements
    var told: [String: [JSON]] = [:]
    for change in changes { told[change["installation_id"].string ?? "", default: []] += [change] }
    var arrived: [String: [JSON]] = [:]
    var seen: Set<String> = []
    for delivery in receiver.all where seen.insert(delivery.id).inserted {
      arrived[delivery.installation, default: []].append(delivery.json["data"])
    }
    #expect(changes.count == 160)
    #expect(arrived == told)
    await service.stop()
  }
}
