import AppTesting
import EventLoop
import Foundation
import Postgres
import Testing

@testable import App
@testable import Registry

/// Deliveries of a whole service to a receiver of the test.
@Suite struct WebhookDeliveryTests {
  /// A service that delivers, by a clock of the test, to this machine.
  private func deliveringService(
    _ clock: ManualClock = ManualClock(), database: ScratchDatabase? = nil
  ) async throws -> TestService {
    let service = try await TestService.start(
      database: database, clock: { clock.now }, webhookNetworks: ["127.0.0.0/8"])
    service.service.startDelivering()
    return service
  }

  /// Makes an endpoint.
  private func webhook(
    _ app: TestApp, _ url: String, _ events: JSON = .null
  ) async throws -> (path: String, secret: WebhookSecret) {
    let made = try await app.admin.post(
      "\(app.path)/webhooks", ["url": .string(url), "events": events])
    guard let id = made.json["id"].string,
      let secret = made.json["secret"].string.flatMap({ WebhookSecret($0) })
    else { throw Unexpected(reply: made) }
    return ("\(app.path)/webhooks/\(id)", secret)
  }

  private func register(_ app: TestApp, _ id: String = Sample.id()) async throws -> String {
    _ = try await app.admin.put(app.installation(id), Sample.report())
    return id
  }

  private func deliveries(_ app: TestApp, _ path: String) async throws -> [JSON] {
    try await app.admin.get("\(path)/deliveries").json["items"].elements
  }

  @Test func aChangeIsDeliveredSigned() async throws {
    let service = try await deliveringService()
    let app = try await service.app()
    let receiver = TestReceiver()
    let (path, secret) = try await webhook(app, receiver.url("/hook?a=b"))
    let id = try await register(app)
    try await eventually { receiver.all.count == 1 }
    let received = receiver.all[0]
    #expect(received.path == "/hook?a=b")
    #expect(received.fields["content-type"] == "application/json")
    #expect(received.json.names.sorted() == ["data", "timestamp", "type"])
    #expect(received.type == "registered")
    let change = try await app.sender.get("\(app.path)/changes").json["items"][0]
    #expect(received.json["data"] == change)
    #expect(received.json["timestamp"] == change["at"])
    #expect(received.installation == id)
    let seconds = try #require(received.fields["webhook-timestamp"].flatMap { Int64($0) })
    #expect(seconds == ManualClock().milliseconds / 1000)
    #expect(
      received.fields["webhook-signature"]
        == secret.signature(id: received.id, seconds: seconds, body: received.body))
    try await eventually { try await deliveries(app, path)[0]["state"] == "delivered" }
    let delivery = try await deliveries(app, path)[0]
    #expect(delivery["id"] == .string(received.id))
    #expect(delivery["status"] == 204)
    #expect(delivery["attempts"] == 1)
    #expect(delivery["installation_id"] == .string(id))
    let shown = try await app.admin.get(path)
    #expect(shown.json["pending"] == 0)
    #expect(shown.json["cursor"] != .absent)
    await service.stop()
  }

  @Test func whatIsNotWantedIsNotDelivered() async throws {
    let service = try await deliveringService()
    let app = try await service.app()
    let receiver = TestReceiver()
    _ = try await webhook(app, receiver.url(), ["deleted"])
    let id = try await register(app)
    _ = try await app.admin.delete(app.installation(id))
    try await eventually { !receiver.all.isEmpty }
    #expect(receiver.all.map(\.type) == ["deleted"])
    await service.stop()
  }

  /// A failure, by the delays of the specification, with the same id and body each time.
  @Test(arguments: [500, 302])
  func whatFailsIsTriedAgain(status: Int) async throws {
    let clock = ManualClock()
    let service = try await deliveringService(clock)
    let app = try await service.app()
    let receiver = TestReceiver { _ in (status, ["Location: /elsewhere"]) }
    let (path, _) = try await webhook(app, receiver.url())
    _ = try await register(app)
    for (count, delay) in [(1, 5), (2, 300), (3, 1800)] {
      try await eventually {
        try await deliveries(app, path).first?["attempts"] == .number(Double(count))
      }
      #expect(receiver.all.count == count)
      let delivery = try await deliveries(app, path)[0]
      #expect(delivery["state"] == "pending")
      #expect(delivery["status"] == .number(Double(status)))
      try await eventually { try await app.admin.get(path).json["state"] == "failing" }
      clock.advance(Int64(delay) * 1000)
    }
    receiver.answers { _ in (200, []) }
    clock.advance(7_200_000)
    try await eventually { try await deliveries(app, path)[0]["state"] == "delivered" }
    #expect(Set(receiver.all.map(\.id)).count == 1)
    #expect(Set(receiver.all.map(\.body)).count == 1)
    #expect(Set(receiver.all.map(\.path)) == ["/hook"])
    try await eventually { try await app.admin.get(path).json["state"] == "active" }
    await service.stop()
  }

  @Test func anEndpointThatIsGoneIsDisabledAndMissesNothing() async throws {
    let service = try await deliveringService()
    let app = try await service.app()
    let receiver = TestReceiver { _ in (410, []) }
    let (path, _) = try await webhook(app, receiver.url())
    let first = try await register(app)
    try await eventually { try await app.admin.get(path).json["state"] == "disabled" }
    #expect(try await app.admin.get(path).json["disabled_reason"] == "gone")
    let second = try await register(app)
    #expect(receiver.all.count == 1)
    receiver.answers { _ in (200, []) }
    _ = try await app.admin.patch(path, ["enabled": true])
    try await eventually { receiver.all.count == 3 }
    #expect(receiver.all.map(\.installation) == [first, first, second])
    #expect(service.log.text.contains("\"webhook_disabled\""))
    #expect(!service.log.text.contains("127.0.0.1:\(receiver.port)"))
    await service.stop()
  }

  /// Of one installation in order, though one of its deliveries fails; others go on.
  @Test func theOrderOfAnInstallationIsKept() async throws {
    let clock = ManualClock()
    let service = try await deliveringService(clock)
    let app = try await service.app()
    let bad = Sample.id()
    let receiver = TestReceiver { $0.installation == bad ? (500, []) : (200, []) }
    let (path, _) = try await webhook(app, receiver.url())
    _ = try await register(app, bad)
    _ = try await register(app, bad)
    let others = [try await register(app), try await register(app)]
    try await eventually { Set(receiver.all.map(\.installation)).isSuperset(of: others) }
    #expect(receiver.all.filter { $0.installation == bad }.map(\.type) == ["registered"])
    // Its next attempt is so long after the answer as the clock says then.
    try await eventually { try await deliveries(app, path).contains { $0["status"] == 500 } }
    receiver.answers { _ in (200, []) }
    clock.advance(5000)
    try await eventually { receiver.all.contains { $0.type == "rotated" } }
    #expect(
      receiver.all.filter { $0.installation == bad }.map(\.type)
        == ["registered", "registered", "rotated"])
    await service.stop()
  }

  @Test func aReceiverThatSaysNothingHoldsUpNoOther() async throws {
    let service = try await deliveringService()
    let app = try await service.app()
    let silent = TestReceiver { _ in nil }
    let lively = TestReceiver()
    let began = ContinuousClock.now
    _ = try await webhook(app, silent.url())
    _ = try await webhook(app, lively.url())
    var ids: [String] = []
    for _ in 0..<20 { ids.append(try await register(app)) }
    try await eventually { lively.all.count == 20 }
    #expect(Set(lively.all.map(\.installation)) == Set(ids))
    // One attempt at a time, as it is not known to answer.
    let attempts = silent.all.count
    let longest = Duration.seconds(Limits.webhookAttemptSeconds)
    #expect(attempts >= 1 && attempts <= 1 + Int((ContinuousClock.now - began) / longest))
    await service.stop()
  }

  @Test func aReceiverIsNotAskedBeforeItWantsTo() async throws {
    let clock = ManualClock()
    let service = try await deliveringService(clock)
    let app = try await service.app()
    let receiver = TestReceiver { _ in (503, ["Retry-After: 3600"]) }
    let (path, _) = try await webhook(app, receiver.url())
    _ = try await register(app)
    try await eventually { try await deliveries(app, path).first?["attempts"] == 1 }
    let delivery = try await deliveries(app, path)[0]
    let next = Timestamp(
      microseconds: clock.now.microseconds + 3_600_000_000)
    #expect(delivery["next_attempt_at"] == .string(next.rfc3339))
    receiver.answers { _ in (200, []) }
    _ = try await register(app)
    try await eventually { try await deliveries(app, path).count == 2 }
    clock.advance(3_599_000)
    #expect(receiver.all.count == 1)
    clock.advance(1000)
    try await eventually { receiver.all.count == 3 }
    await service.stop()
  }

  /// Two instances over one database, one of which ends in the middle: nothing is missing, and what
  /// comes twice has the id of the first time.
  @Test func instancesTakeTurns() async throws {
    let clock = ManualClock()
    let first = try await deliveringService(clock)
    let app = try await first.app()
    let receiver = TestReceiver()
    let (path, _) = try await webhook(app, receiver.url())
    for _ in 0..<30 { _ = try await register(app) }
    try await eventually { !receiver.all.isEmpty }
    let second = try await deliveringService(clock, database: first.database)
    let other = second.app(like: app)
    await first.stop()
    for _ in 0..<30 { _ = try await register(other) }
    try await eventually { Set(receiver.all.map(\.id)).count == 60 }
    try await eventually { try await other.admin.get(path).json["pending"] == 0 }
    let changes = try await other.sender.get("\(app.path)/changes?limit=1000").json["items"]
    #expect(
      Set(changes.elements.compactMap { $0["installation_id"].string })
        == Set(receiver.all.map(\.installation)))
    // No instance sends what another one has sent and stored.
    #expect(receiver.all.count <= 60 + Limits.webhookAttemptsAtOnce)
    await second.stop()
  }

  @Test func bothSecretsSignForAWhile() async throws {
    let clock = ManualClock()
    let service = try await deliveringService(clock)
    let app = try await service.app()
    let receiver = TestReceiver()
    let (path, old) = try await webhook(app, receiver.url())
    let rotated = try await app.admin.post("\(path)/secret", ["overlap_seconds": 60])
    let new = try #require(rotated.json["secret"].string.flatMap { WebhookSecret($0) })
    func signatures(_ secrets: [WebhookSecret]) -> String {
      let last = receiver.all[receiver.all.count - 1]
      let seconds = Int64(last.fields["webhook-timestamp"] ?? "") ?? 0
      return secrets.map { $0.signature(id: last.id, seconds: seconds, body: last.body) }
        .joined(separator: " ")
    }
    _ = try await register(app)
    try await eventually { receiver.all.count == 1 }
    #expect(receiver.all[0].fields["webhook-signature"] == signatures([new, old]))
    clock.advance(60_000)
    _ = try await register(app)
    try await eventually { receiver.all.count == 2 }
    #expect(receiver.all[1].fields["webhook-signature"] == signatures([new]))
    await service.stop()
  }
}
