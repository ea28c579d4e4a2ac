import AppTesting
import Testing

@testable import App
@testable import Content

/// Messages are rendered by their names.
@Suite struct StoredRenderTests {
  private static let message: JSON = [
    "alert": "Order {order}", "parameters": ["order": ["type": "string"]],
  ]

  private static func alert(_ reply: Reply) -> String? {
    reply.json["payload"]["aps"]["alert"].string
  }

  @Test(arguments: Transport.allCases)
  func aNameStandsForTheMessage(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let id = Sample.id()
    _ = try await app.client.put(app.installation(id), Sample.report())
    func render(_ name: String, _ more: [String: JSON]) async throws -> Reply {
      let body: [String: JSON] = [
        "message": .string(name), "to": ["installation": .string(id)],
      ]
      return try await app.sender.post("\(app.path)/render", .object(body.merging(more) { $1 }))
    }
    // That it is not there is known from now on, and no longer when it is.
    let arguments: [String: JSON] = ["arguments": ["order": "A17"]]
    let early = try await render("ready", arguments)
    #expect(early.status == 404)
    #expect(early.problem == "message_not_found")
    let path = "\(app.path)/messages/ready"
    #expect(try await app.admin.put(path, Self.message).status == 201)
    let rendered = try await render("ready", arguments)
    #expect(rendered.json["payload"] == ["aps": ["alert": "Order A17"], "messageType": "ready"])

    for (more, faults) in [
      ([:], ["/arguments/order missing_argument"]),
      (["arguments": ["order": 1]], ["/arguments/order wrong_type"]),
      (["arguments": ["order": "A", "x": 1]], ["/arguments/x unknown_argument"]),
      (["arguments": []], ["/arguments wrong_type"]),
    ] as [([String: JSON], [String])] {
      let refused = try await render("ready", more)
      #expect(refused.status == 422)
      #expect(refused.faults == faults)
    }
    #expect(try await render("no name", arguments).faults == ["/message invalid_name"])

    _ = try await app.admin.put(path, ["alert": "Changed"])
    #expect(Self.alert(try await render("ready", [:])) == "Changed")
    _ = try await app.admin.delete(path)
    #expect(try await render("ready", [:]).problem == "message_not_found")
  }

  @Test func theNameIsUnderTheAppsKey() async throws {
    for (key, expected) in [
      (.null, ["aps": ["badge": 1]]), ("type", ["aps": ["badge": 1], "type": "b"]),
    ] as [(JSON, JSON)] {
      let app = try await TestApp.make(.inProcess, settings: ["message_type_key": key])
      let id = Sample.id()
      _ = try await app.client.put(app.installation(id), Sample.report())
      _ = try await app.admin.put("\(app.path)/messages/b", ["badge": 1])
      let reply = try await app.sender.post(
        "\(app.path)/render", ["message": "b", "to": ["installation": .string(id)]])
      #expect(reply.json["payload"] == expected)
    }
  }

  /// Of a newer release, beside which this one still runs.
  @Test func aMessageThatThisReleaseCannotReadIsShownAndNotRendered() async throws {
    let app = try await TestApp.make(.inProcess)
    let (path, id) = ("\(app.path)/messages/m", Sample.id())
    _ = try await app.client.put(app.installation(id), Sample.report())
    _ = try await app.admin.put(path, ["badge": 1])
    try await app.service.database.query(
      """
      UPDATE message SET body = '{"badge":1,"hologram":true}'
      WHERE app_id = \(try app.id) AND name = 'm'
      """)
    var reader = app.admin
    // What a newer release stores is not in the contract of this one.
    reader.isChecked = false
    let shown = try await reader.get(path)
    #expect(shown.status == 200)
    #expect(shown.json["message"] == ["badge": 1, "hologram": true])
    #expect(shown.json["warnings"] == .absent)
    func render() async throws -> Reply {
      try await app.sender.post(
        "\(app.path)/render", ["message": "m", "to": ["installation": .string(id)]])
    }
    #expect(try await render().status == 409)
    #expect(try await render().problem == "message_unreadable")
    let preview = try await app.sender.post("\(app.path)/preview", ["message": "m"])
    #expect(preview.problem == "message_unreadable")
    _ = try await app.admin.put(path, ["badge": 2])
    #expect(try await render().json["payload"]["aps"]["badge"] == 2)
  }

  @Test func anotherInstanceHearsOfTheChange() async throws {
    let first = try await TestService.start()
    let app = try await first.app()
    let second = try await TestService.start(database: first.database)
    let (path, id) = ("\(app.path)/messages/m", Sample.id())
    _ = try await app.client.put(app.installation(id), Sample.report())
    let there = second.client(key: app.keys["sender"])
    func render() async throws -> Reply {
      try await there.post(
        "\(app.path)/render", ["message": "m", "to": ["installation": .string(id)]])
    }
    #expect(try await render().status == 404)
    _ = try await app.admin.put(path, ["alert": "one"])
    try await eventually { try await Self.alert(render()) == "one" }
    _ = try await app.admin.put(path, ["alert": "two"])
    try await eventually { try await Self.alert(render()) == "two" }
    // What changed while nobody listened is known after the reconnection.
    try await first.database.query(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE query LIKE 'LISTEN%' AND datname = current_database();
      UPDATE message SET body = '{"alert":"three"}'
      """)
    try await eventually { try await Self.alert(render()) == "three" }
    _ = try await app.admin.delete(path)
    try await eventually { try await render().status == 404 }
    await first.stop()
    await second.stop()
  }

  @Test(arguments: ["directory", "catalog:7:1.0:b", "message:7:a.B-9_"])
  func aNoticeIsReadAsItWasSent(payload: String) {
    #expect(Notice(payload: payload)?.payload == payload)
  }

  @Test(arguments: ["", "message:7", "message:x:a", "message:7:a b", "catalog:7", "else:7:a"])
  func anythingElseIsNoNotice(payload: String) {
    #expect(Notice(payload: payload) == nil)
  }
}
