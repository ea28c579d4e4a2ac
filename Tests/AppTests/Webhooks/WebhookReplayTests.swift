import AppTesting
import Testing

@testable import App

/// Trials, and what goes out again because somebody wants it.
@Suite struct WebhookReplayTests {
  private func start() async throws -> (TestApp, TestReceiver, path: String) {
    let service = try await TestService.start(webhookNetworks: ["127.0.0.0/8"])
    service.service.startDelivering()
    let app = try await service.app()
    let receiver = TestReceiver()
    let made = try await app.admin.post(
      "\(app.path)/webhooks", ["url": .string(receiver.url())])
    return (app, receiver, "\(app.path)/webhooks/\(made.json["id"].string ?? "")")
  }

  @Test func aTrialSaysHowItWent() async throws {
    let (app, receiver, path) = try await start()
    _ = try await app.admin.patch(path, ["enabled": false])
    let good = try await app.admin.send("POST", "\(path)/test")
    #expect(good.status == 200)
    #expect(good.json["state"] == "delivered")
    #expect(good.json["status"] == 204)
    #expect(receiver.all.map(\.type) == ["test"])
    #expect(receiver.all[0].id == good.json["id"].string)
    receiver.answers { _ in (500, []) }
    let bad = try await app.admin.send("POST", "\(path)/test")
    #expect(bad.json["state"] == "failed")
    #expect(bad.json["status"] == 500)
    #expect(bad.json["failure"] == .null)
    let listed = try await app.admin.get("\(path)/deliveries").json["items"].elements
    #expect(listed.map { $0["id"] } == [bad.json["id"], good.json["id"]])
    let failed = try await app.admin.get("\(path)/deliveries?state=failed").json["items"].elements
    #expect(failed.map { $0["id"] } == [bad.json["id"]])
    #expect(
      try await app.admin.get("\(path)/deliveries?state=x").faults == ["state unknown_value"])
    await app.service.stop()
  }

  /// The address is looked at when it is connected to, whatever name leads there.
  @Test func aNameThatLeadsHomeIsRefused() async throws {
    let app = try await TestApp.make(.inProcess)
    let made = try await app.admin.post(
      "\(app.path)/webhooks", ["url": "https://localhost:1/", "enabled": false])
    #expect(made.status == 201)
    let path = "\(app.path)/webhooks/\(made.json["id"].string ?? "")"
    for url in ["https://localhost:1/", "https://2130706433:1/", "https://0x7f.1:1/"] {
      _ = try await app.admin.patch(path, ["url": .string(url)])
      let reply = try await app.admin.send("POST", "\(path)/test")
      #expect(reply.json["failure"] == "address", "\(url)")
    }
  }

  @Test func oneDeliveryGoesOutAgain() async throws {
    let (app, receiver, path) = try await start()
    _ = try await app.admin.put(app.installation(Sample.id()), Sample.report())
    try await eventually { receiver.all.count == 1 }
    let id = receiver.all[0].id
    try await eventually { try await app.admin.get(path).json["pending"] == 0 }
    let reply = try await app.admin.post("\(path)/replay", ["delivery_id": .string(id)])
    #expect(reply.status == 202)
    #expect(reply.json["pending"] == 1)
    try await eventually { receiver.all.count == 2 }
    #expect(receiver.all[1].id == id)
    #expect(receiver.all[1].body == receiver.all[0].body)
    let none = try await app.admin.post("\(path)/replay", ["delivery_id": "chg_x"])
    #expect(none.problem == "delivery_not_found")
    await app.service.stop()
  }

  @Test func allBehindAPlaceGoesOutAgain() async throws {
    let (app, receiver, path) = try await start()
    let place = try await app.admin.get(path).json["cursor"].string ?? ""
    for _ in 0..<5 { _ = try await app.admin.put(app.installation(Sample.id()), Sample.report()) }
    try await eventually { receiver.all.count == 5 }
    try await eventually { try await app.admin.get(path).json["pending"] == 0 }
    let reply = try await app.admin.post("\(path)/replay", ["after": .string(place)])
    #expect(reply.status == 202)
    try await eventually { receiver.all.count == 10 }
    #expect(receiver.all.suffix(5).map(\.id).sorted() == receiver.all.prefix(5).map(\.id).sorted())
    await app.service.stop()
  }

  @Test func aBacklogIsSkipped() async throws {
    let (app, receiver, path) = try await start()
    receiver.answers { _ in (500, []) }
    _ = try await app.admin.put(app.installation(Sample.id()), Sample.report())
    try await eventually { try await app.admin.get(path).json["pending"] == 1 }
    let reply = try await app.admin.post("\(path)/replay", ["after": "now"])
    #expect(reply.json["pending"] == 0)
    receiver.answers { _ in (200, []) }
    let id = Sample.id()
    _ = try await app.admin.put(app.installation(id), Sample.report())
    try await eventually { receiver.all.contains { $0.installation == id } }
    await app.service.stop()
  }

  /// As after a restore: what was not delivered is lost, and the receiver learns of it.
  @Test func aReceiverLearnsThatChangesAreGone() async throws {
    let (app, receiver, path) = try await start()
    _ = try await app.admin.patch(path, ["enabled": false])
    try await app.service.database.query("UPDATE change_epoch SET origin = 'elsewhere'")
    _ = try await app.admin.get("\(app.path)/changes")
    let id = Sample.id()
    _ = try await app.admin.put(app.installation(id), Sample.report())
    _ = try await app.admin.patch(path, ["enabled": true])
    try await eventually { receiver.all.contains { $0.installation == id } }
    #expect(receiver.all[0].type == "changes_gone")
    #expect(receiver.all[0].json["data"] == ["reason": "other_life"])
    await app.service.stop()
  }

  @Test func ofAnErasedPersonNothingIsKept() async throws {
    let (app, receiver, path) = try await start()
    let id = Sample.id()
    var report = Sample.report()
    report["user"] = ["id": "ada"]
    _ = try await app.admin.put(app.installation(id), report)
    try await eventually { receiver.all.count == 1 }
    _ = try await app.admin.delete("\(app.path)/users/ada")
    try await eventually { receiver.all.last?.type == "erased" }
    let kept = try await app.admin.get("\(path)/deliveries").json["items"].elements
    #expect(kept.compactMap { $0["event"].string } == ["erased"])
    await app.service.stop()
  }

  /// The installation that took the token of the person stays, and so does what is told of it.
  @Test func whatNamesAnErasedPersonAsTheOriginIsStillDelivered() async throws {
    let (app, receiver, path) = try await start()
    receiver.answers { _ in (500, []) }
    let (erased, stays, token) = (Sample.id(), Sample.id(), Sample.token())
    var report = Sample.report(token)
    report["user"] = ["id": "ada"]
    _ = try await app.admin.put(app.installation(erased), report)
    _ = try await app.admin.put(app.installation(stays), Sample.report(token))
    try await eventually { try await app.admin.get(path).json["pending"] == 2 }
    _ = try await app.admin.delete("\(app.path)/users/ada")
    receiver.answers { _ in (200, []) }
    // A change of the webhook makes the instance read what waits anew.
    _ = try await app.admin.post("\(path)/secret", ["overlap_seconds": 60])
    _ = try await app.admin.patch(path, ["enabled": true])
    var moved = JSON.absent
    try await eventually {
      moved = receiver.all.last { $0.type == "moved" }?.json["data"] ?? .absent
      return moved["from_installation_id"] == .null
    }
    #expect(moved["installation_id"] == .string(stays))
    await app.service.stop()
  }
}
