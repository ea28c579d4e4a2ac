import AppTesting
import Testing

@testable import App

/// Endpoints as admins make and change them.
@Suite struct WebhooksTests {
  private func path(_ app: TestApp, _ made: Reply) -> String {
    "\(app.path)/webhooks/\(made.json["id"].string ?? "?")"
  }

  @Test(arguments: Transport.allCases)
  func anEndpointIsMadeReadChangedAndForgotten(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let made = try await app.admin.post(
      "\(app.path)/webhooks",
      ["url": "https://hooks.invalid/a", "events": ["registered"], "description": "one"])
    #expect(made.status == 201)
    #expect(made["location"] == path(app, made))
    #expect(made["cache-control"] == "no-store")
    let secret = try #require(made.json["secret"].string.flatMap { WebhookSecret($0) })
    #expect(secret.bytes.count == 32)

    let read = try await app.admin.get(path(app, made))
    #expect(read.status == 200)
    #expect(!read.text.contains("whsec_"))
    #expect(read.json["url"] == "https://hooks.invalid/a")
    #expect(read.json["events"] == ["registered"])
    #expect(read.json["description"] == "one")
    #expect(read.json["state"] == "active")
    #expect(read.json["pending"] == 0)
    let list = try await app.admin.get("\(app.path)/webhooks")
    #expect(list.json["items"] == [read.json])

    let changed = try await app.admin.patch(
      path(app, made),
      ["url": "https://hooks.invalid/b", "events": .null, "description": .null, "enabled": false])
    #expect(changed.status == 200)
    #expect(changed.json["url"] == "https://hooks.invalid/b")
    #expect(changed.json["events"] == .null)
    #expect(changed.json["description"] == "")
    #expect(changed.json["state"] == "disabled")
    #expect(changed.json["disabled_reason"] == .null)
    let same = try await app.admin.patch(path(app, made), [:])
    #expect(same.json["url"] == "https://hooks.invalid/b")

    #expect(try await app.admin.delete(path(app, made)).status == 204)
    for reply in [
      try await app.admin.get(path(app, made)), try await app.admin.delete(path(app, made)),
      try await app.admin.patch(path(app, made), [:]),
      try await app.admin.get("\(path(app, made))/deliveries"),
      try await app.admin.post("\(path(app, made))/replay", ["after": "now"]),
    ] { #expect(reply.problem == "webhook_not_found") }
  }

  /// A call whose answer was lost may be made again, and leaves one endpoint.
  @Test(arguments: Transport.allCases)
  func anEndpointWithAnIDIsMadeOnce(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let id = Sample.id()
    let body: JSON = ["id": .string(id), "url": "https://hooks.invalid/a", "events": ["deleted"]]
    let first = try await app.admin.post("\(app.path)/webhooks", body)
    let second = try await app.admin.post("\(app.path)/webhooks", body)
    #expect(first.status == 201 && second.status == 200)
    #expect(first.json == second.json && first.json["secret"].string != nil)
    #expect(first["location"] == path(app, first) && second["cache-control"] == "no-store")
    #expect(try await app.admin.get("\(app.path)/webhooks").json["items"].elements.count == 1)
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    let others: [JSON] = [
      ["id": .string(id), "url": "https://hooks.invalid/b", "events": ["deleted"]],
      ["id": .string(id), "url": "https://hooks.invalid/a"],
      [
        "id": .string(id), "url": "https://hooks.invalid/a", "events": ["deleted"],
        "secret": .string(secret),
      ],
    ]
    for other in others {
      #expect(try await app.admin.post("\(app.path)/webhooks", other).problem == "id_taken")
    }
  }

  @Test func aSecretIsShownWhenItIsMadeAndNeverAgain() async throws {
    let app = try await TestApp.make(.inProcess)
    let own = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    let made = try await app.admin.post(
      "\(app.path)/webhooks", ["url": "https://hooks.invalid/", "secret": .string(own)])
    #expect(made.json["secret"] == .string(own))
    #expect(made.json["previous_secret_until"] == .null)
    let rotated = try await app.admin.post(
      "\(path(app, made))/secret", ["overlap_seconds": 60])
    #expect(rotated.status == 200)
    #expect(rotated["cache-control"] == "no-store")
    let next = try #require(rotated.json["secret"].string)
    #expect(next != own && WebhookSecret(next) != nil)
    #expect(rotated.json["previous_secret_until"].string != nil)
    let log = app.service.log.text
    #expect(!log.contains(own.dropFirst(6)) && !log.contains(next.dropFirst(6)))
    #expect(!log.contains("hooks.invalid"))
  }

  @Test(
    arguments: [
      ([:], ["/url missing_field"]), (["url": .null], ["/url wrong_type"]),
      (["url": 1], ["/url wrong_type"]), (["url": ""], ["/url too_short"]),
      (["url": "http://example.com/"], ["/url unknown_value"]),
      (["url": "https://127.0.0.1/"], ["/url unknown_value"]),
      (["url": "https://[::ffff:10.0.0.1]/"], ["/url unknown_value"]),
      (["url": "https://a@example.com/"], ["/url unknown_value"]),
      (["url": "https://a.invalid/", "events": []], ["/events too_short"]),
      (["url": "https://a.invalid/", "events": ["replaced"]], ["/events/0 unknown_value"]),
      (["url": "https://a.invalid/", "secret": "x"], ["/secret unknown_value"]),
      (["url": "https://a.invalid/", "secret": "whsec_AAAA"], ["/secret unknown_value"]),
      (["url": "https://a.invalid/", "colour": 1], ["/colour unknown_field"]),
      (["url": "https://a.invalid/", "enabled": "yes"], ["/enabled wrong_type"]),
    ] as [(JSON, [String])])
  func badInputIsRefused(body: JSON, faults: [String]) async throws {
    let app = try await TestApp.make(.inProcess)
    let reply = try await app.admin.post("\(app.path)/webhooks", body)
    #expect(reply.status == 422)
    #expect(reply.faults == faults)
    #expect(try await app.admin.get("\(app.path)/webhooks").json["items"] == [])
  }

  @Test(
    arguments: [
      ("", ["url": .null], ["/url wrong_type"]), ("", ["enabled": .null], ["/enabled wrong_type"]),
      ("", ["url": "http://a.invalid/"], ["/url unknown_value"]),
      ("/secret", ["overlap_seconds": -1], ["/overlap_seconds out_of_range"]),
      ("/secret", ["overlap_seconds": 604_801], ["/overlap_seconds out_of_range"]),
      ("/replay", [:], [" missing_field"]),
      ("/replay", ["after": "x"], ["/after unknown_value"]),
      ("/replay", ["after": "now", "delivery_id": "x"], [" missing_field"]),
    ] as [(String, JSON, [String])])
  func badChangesAreRefused(place: String, body: JSON, faults: [String]) async throws {
    let app = try await TestApp.make(.inProcess)
    let made = try await app.admin.post(
      "\(app.path)/webhooks", ["url": "https://hooks.invalid/"])
    let method = place.isEmpty ? "PATCH" : "POST"
    let reply = try await app.admin.send(method, path(app, made) + place, json: body)
    #expect(reply.status == 422)
    #expect(reply.faults == faults)
  }

  @Test func anAppHasTenAtMost() async throws {
    let app = try await TestApp.make(.inProcess)
    for number in 1...11 {
      let reply = try await app.admin.post(
        "\(app.path)/webhooks", ["url": "https://hooks.invalid/\(number)"])
      #expect(reply.status == (number <= 10 ? 201 : 422))
    }
    let items = try await app.admin.items("\(app.path)/webhooks?limit=3")
    #expect(
      items.compactMap { $0["url"].string?.last }.map(String.init)
        == ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"])
  }

  /// With the app its endpoints go at once, and with them their secrets.
  @Test func theEndpointsOfAnAppGoWithIt() async throws {
    let app = try await TestApp.make(.inProcess)
    _ = try await app.admin.post("\(app.path)/webhooks", ["url": "https://hooks.invalid/gone"])
    #expect(try await app.admin.delete(app.path).status == 204)
    let left = try await app.service.database.value(
      "SELECT count(*) FROM webhook WHERE url = 'https://hooks.invalid/gone' "
        + "AND app_id NOT IN (SELECT id FROM app WHERE deleted_at IS NULL)")
    #expect(left == "0")
  }
}
