import AppTesting
import Foundation
import Testing

/// What an app says of types of its Live Activities.
@Suite struct ActivityTypeTests {
  private static let parameters: JSON = [
    "name": ["type": "string"], "eta": ["type": "date"], "count": ["type": "integer"],
    "price": ["type": "decimal"], "stops": ["type": "list"],
  ]
  private static let arguments: JSON = [
    "name": "Aki", "eta": "2026-05-02T19:32:41.5Z", "count": 3, "price": 1.5, "stops": ["A", "B"],
  ]

  private func scene(_ transport: Transport, _ type: JSON) async throws -> Scene {
    let scene = try await Scene(
      transport,
      devices: [["os_version": "27.1", "credentials": OtherCredentialsTests.all()]])
    let set = try await scene.app.service.client().put(
      scene.app.path, ["activity_types": ["Delivery": type]])
    #expect(set.status == 200, "\(set.text)")
    #expect(set.json["activity_types"]["Delivery"] == type)
    return scene
  }

  private static func update(_ state: JSON) -> JSON {
    [
      "live_activity": ["event": "update", "type": "Delivery", "content_state": state],
      "parameters": parameters,
    ]
  }

  @Test(
    arguments: [
      (["dates": "reference"], 799_443_161.5), (["dates": "unix"], 1_777_750_361.5),
      (["dates": "iso8601"], "2026-05-02T19:32:41Z"),
      (["dates": "as_given"], "2026-05-02T19:32:41.5Z"), ([:], 799_443_161.5),
    ] as [(JSON, JSON)])
  func datesAreWrittenAsTheAppReadsThem(type: JSON, date: JSON) async throws {
    let scene = try await scene(.inProcess, type)
    // So often that the message is remembered.
    for _ in 0..<4 {
      let reply = try await scene.render(
        Self.update(["eta": "{eta}", "text": "at {eta}"]), arguments: Self.arguments,
        more: ["to": ["all": true]])
      #expect(
        reply.text.contains("\"content-state\":{\"eta\":\(date.text)"), "\(reply.text)")
      #expect(reply.text.contains("at 2026-05-02T19:32:41.5Z"))
    }
  }

  private static let type: JSON = [
    "dates": "reference",
    "content_state": [
      "step": "string", "count": "integer", "eta?": "date", "note?": "string",
      "driver?": ["name": "string", "rating?": "number"], "stops?": ["string"], "more?": "any",
      "done?": "boolean",
    ],
  ]

  /// Who names only the activity would get the dates of no type: they say the type, too.
  @Test func anActivityAloneDoesNotSayItsType() async throws {
    let scene = try await scene(.inProcess, ["dates": "iso8601"])
    var update = Self.update(["eta": "{eta}"])
    update["live_activity"]["activity"] = "A7C1"
    for (type, status) in [("Delivery", 200), ("Ride", 409), (nil, 422)] {
      update["live_activity"]["type"] = type.map(JSON.string) ?? .absent
      let reply = try await scene.render(
        update, arguments: Self.arguments, more: ["to": scene.first])
      #expect(reply.status == status, "\(reply.text)")
      #expect(reply.faults == (type == nil ? ["/message/live_activity/type missing_field"] : []))
    }
  }

  /// A state, and the places where no phone could decode it.
  @Test(
    arguments: [
      (["step": "{name}", "count": "{count}"], []),
      (["step": ["key": "K"], "count": 3, "eta": "{eta}", "stops": "{stops}"], []),
      (["step": ["text": ["en": "x"]], "count": 3, "note": .null, "more": [1, "x"]], []),
      (["step": "at {count}", "count": 1, "driver": ["name": "{name}", "rating": "{price}"]], []),
      (["step": "a", "count": 1, "driver": ["name": "x", "rating": "{count}"], "eta": 7], []),
      (["step": "a"], ["count missing_field"]),
      (["step": 7, "count": "{price}"], ["count wrong_type", "step wrong_type"]),
      (["step": "a", "count": 1, "eta": "{name}"], ["eta wrong_type"]),
      (["step": "a", "count": 1, "eta": "2026-05-02T19:32:41Z"], ["eta wrong_type"]),
      (["step": "{eta}", "count": 1], ["step wrong_type"]),
      (["step": "a", "count": 1, "driver": ["rating": 5]], ["driver/name missing_field"]),
      (["step": "a", "count": 1, "driver": "x"], ["driver wrong_type"]),
      (["step": "a", "count": 1, "stops": ["a", ["key": "K"], 3]], ["stops/2 wrong_type"]),
      (["step": ["a"], "count": .null], ["count wrong_type", "step wrong_type"]),
      (["step": "a", "count": 1, "done": 1], ["done wrong_type"]),
    ] as [(JSON, [String])])
  func aStateThatCannotBeDecodedIsRefused(state: JSON, faults: [String]) async throws {
    let scene = try await scene(.inProcess, Self.type)
    let reply = try await scene.render(
      Self.update(state), arguments: Self.arguments, more: ["to": ["all": true]])
    #expect(
      reply.faults == faults.map { "/message/live_activity/content_state/\($0)" },
      "\(reply.text)")
    let stored = try await scene.app.admin.put(
      "\(scene.app.path)/messages/m", Self.update(state))
    #expect(stored.faults == faults.map { "/live_activity/content_state/\($0)" })
  }

  /// A message that was stored before the type was described is refused from then on.
  @Test(arguments: Transport.allCases)
  func aStoredMessageIsComparedToo(transport: Transport) async throws {
    let scene = try await scene(transport, [:])
    let path = "\(scene.app.path)/messages/m"
    #expect(try await scene.app.admin.put(path, Self.update(["step": 7])).status == 201)
    func render() async throws -> Reply {
      try await scene.render("m", arguments: Self.arguments, more: ["to": ["all": true]])
    }
    #expect(try await render().status == 200)
    _ = try await scene.app.service.client().put(
      scene.app.path, ["activity_types": ["Delivery": Self.type]])
    #expect(
      try await render().faults == [
        "/message/live_activity/content_state/count missing_field",
        "/message/live_activity/content_state/step wrong_type",
      ])
  }

  @Test(
    arguments: [
      (["Delivery": ["dates": "julian"]], "/activity_types/Delivery/dates unknown_value"),
      (
        ["Delivery": ["content_state": ["a": "text"]]],
        "/activity_types/Delivery/content_state unknown_value"
      ),
      (
        ["Delivery": ["attributes": ["a": ["string", "date"]]]],
        "/activity_types/Delivery/attributes unknown_value"
      ),
      (["Delivery": ["state": [:]]], "/activity_types/Delivery/state unknown_field"),
      (["Delivery": 7], "/activity_types/Delivery wrong_type"), (7, "/activity_types wrong_type"),
    ] as [(JSON, String)])
  func aDescriptionThatIsWrongIsRefused(types: JSON, fault: String) async throws {
    let app = try await TestApp.make(.inProcess)
    let reply = try await app.service.client().put(app.path, ["activity_types": types])
    #expect(reply.faults == [fault], "\(reply.text)")
  }
}
