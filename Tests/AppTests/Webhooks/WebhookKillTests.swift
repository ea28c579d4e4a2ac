import AppTesting
import EventLoop
import Glibc
import Postgres
import Testing

@testable import App

/// The real program is killed, or stands still, while it delivers.
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
    // The one before may have delivered all, and a program that only starts dies of SIGTERM.
    let process = try deliverer(service)
    _ = try await process.ready()
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

  /// Another instance goes on, and the one that stood still delivers nothing more when it wakes.
  @Test func anInstanceThatStandsStillHoldsUpNoDeliveries() async throws {
    let service = try await TestService.start(webhookNetworks: ["127.0.0.0/8"])
    let app = try await service.app()
    let receiver = TestReceiver()
    let made = try await app.admin.post("\(app.path)/webhooks", ["url": .string(receiver.url())])
    let path = "\(app.path)/webhooks/\(made.json["id"].string ?? "")"
    func register(_ count: Int) async throws {
      for _ in 0..<count {
        _ = try await app.admin.put(app.installation(Sample.id()), Sample.report())
      }
    }
    func allDelivered(_ count: Int) async throws {
      try await eventually { Set(receiver.all.map(\.id)).count == count }
      try await eventually { try await app.admin.get(path).json["pending"] == 0 }
    }
    let frozen = try deliverer(service)
    try await register(10)
    try await allDelivered(10)
    frozen.signal(SIGSTOP)
    try await register(10)
    service.service.startDelivering()
    try await allDelivered(20)
    // Each once: the other one had sent nothing of them.
    #expect(receiver.all.count == 20)

    frozen.signal(SIGCONT)
    try await register(10)
    try await allDelivered(30)
    #expect(receiver.all.count == 30)
    frozen.signal(SIGTERM)
    #expect(try await frozen.end() == 0)
    await service.stop()
  }

  /// Each instance measures what waits, also when it does not deliver, and nobody does.
  @Test func whatWaitsIsSeenWhereNobodyDelivers() async throws {
    let service = try await TestService.start(webhookNetworks: ["127.0.0.0/8"])
    let app = try await service.app()
    _ = try await app.admin.post("\(app.path)/webhooks", ["url": "https://example.com/hook"])
    func oldest() async throws -> Int {
      let text = try await service.client(key: nil).get("/metrics").text
      let name = "postilion_webhook_oldest_pending_seconds "
      let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
      return line.flatMap { Int($0.dropFirst(name.count)) } ?? -1
    }
    #expect(try await oldest() == 0)
    try await service.database.query("UPDATE lease SET until = 'infinity' WHERE name = 'webhooks'")
    _ = try await app.admin.put(app.installation(Sample.id()), Sample.report())
    try await service.database.query("UPDATE token_history SET at = at - interval '1 hour'")
    service.service.startHousekeeping()
    try await eventually { try await oldest() >= 3600 }
    await service.stop()
  }

  /// What the former holder of the lease writes when it wakes changes nothing.
  @Test func whoHasLostTheLeaseWritesNothingOverWhatItsSuccessorWrote() async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    _ = try await app.admin.post("\(app.path)/webhooks", ["url": "https://example.com/hook"])
    _ = try await app.admin.put(app.installation(Sample.id()), Sample.report())
    let context = service.service.contexts[0]
    let (made, stale, current) = try await context.loop.run {
      () -> Result<(made: [Int], stale: String, current: String), any Error> in
      do {
        return .success(try await deliverUnderTwoLeases(context.database, context.shared))
      } catch { return .failure(error) }
    }.get()
    #expect(made == [0, 1])
    #expect(stale == "pending")
    #expect(current == "delivered")
    await service.stop()
  }

  /// Makes a delivery and ends it, each under a former lease first and then under the present one.
  private func deliverUnderTwoLeases(
    _ database: PostgresClient, _ shared: Shared
  ) async throws -> (made: [Int], stale: String, current: String) {
    let (former, present): (Int64, Int64) = (-1, 0)
    let webhook = try #require(try await database.read(.enabledWebhooks()).first).webhook
    let reader = ChangeReader(database: database, shared: shared)
    let place = ChangePlace(
      appID: webhook.appID, position: webhook.cursor.position, epoch: webhook.cursor.epoch)
    var found: ChangePage?
    // It is told once no transaction from before it is under way.
    try await eventually {
      found = try await reader.pages(behind: [place], limit: 1).first
      return found?.changes.isEmpty == false
    }
    let page = try #require(found)
    let drafts = page.changes.map { DeliveryDraft($0, in: page.life) }
    var made: [Int] = []
    for lease in [former, present] {
      made.append(
        try await database.write(
          MakeDeliveries(
            webhook: webhook, cursor: page.cursor, drafts: drafts, now: shared.clock(),
            lease: lease)
        ).count)
    }
    let pending = try await database.read(PendingDeliveries(keys: [webhook.key]))
    let delivery = try #require(pending.first).delivery
    let attempt = AttemptRecord(
      key: webhook.key, delivery: delivery, verdict: .delivered, outcome: .answered(200),
      began: shared.clock(), milliseconds: 1)
    var states: [String] = []
    for lease in [former, present] {
      _ = try await database.write(RecordAttempts(attempts: [attempt], lease: lease))
      let left = try await database.read(PendingDeliveries(keys: [webhook.key]))
      states.append(left.isEmpty ? "delivered" : "pending")
    }
    return (made, states[0], states[1])
  }
}
