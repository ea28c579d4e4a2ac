import AppTesting
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import App
@testable import Registry

/// A message that goes to one device after the other is rendered once and then filled into forms:
/// nobody sees when.
@Suite struct RenderPlanTests {
  /// A clock that stands until it is moved, so that all calls are of one second.
  private final class Clock: Sendable {
    private let seconds = Mutex<Int64>(1_900_000_000)
    var now: Timestamp { Timestamp(microseconds: seconds.withLock { $0 } * 1_000_000) }
    func move(bySeconds count: Int64) { seconds.withLock { $0 += count } }
  }

  private let clock = Clock()

  private func scene(_ devices: [[String: JSON]]) async throws -> Scene {
    let clock = clock
    let service = try await TestService.start(clock: { clock.now })
    return try await Scene(.inProcess, service: service, devices: devices)
  }

  private func body(_ message: JSON, _ to: String, _ arguments: String = "{}") -> String {
    #"{"message":\#(message.text),"to":{"installation":"\#(to)"},"arguments":\#(arguments)}"#
  }

  /// The same body, whose message nobody sent before: it has another parameter that it does not
  /// use.
  private func alone(_ body: String) -> String {
    let name = "p" + Sample.id().filter(\.isHexDigit)
    let parameter = #""\#(name)":{"type":"string","default":"x"}"#
    return body.replacing(#""parameters":{"#, with: "\"parameters\":{\(parameter),")
  }

  /// Stores a message: of those that come along the process remembers a few, for all tests at once.
  private func stored(_ scene: Scene, _ message: JSON) async throws -> JSON {
    let path = "\(scene.app.path)/messages/kept"
    #expect(try await scene.app.admin.put(path, message).status == 201)
    return "kept"
  }

  private func answer(_ scene: Scene, _ body: String) async throws -> (Int, JSON) {
    let reply = try await scene.app.sender.send(
      "POST", "\(scene.app.path)/render", body: Array(body.utf8),
      fields: [("Content-Type", "application/json")])
    var json = reply.json
    json["headers"]["apns-id"] = .absent
    json["request_id"] = .absent
    return (reply.status, json)
  }

  /// Renders so often that there is a plan.
  private func warmUp(_ scene: Scene, _ body: String) async throws {
    for _ in 0..<3 { _ = try await answer(scene, body) }
  }

  /// How many renderings were filled into forms.
  private func filled(_ scene: Scene) async throws -> Int {
    let metrics = try await scene.app.service.client(.inProcess).get("/metrics").text
    let line = metrics.split(separator: "\n").first {
      $0.hasPrefix("postilion_renders_filled_total ")
    }
    return Int(try #require(line?.split(separator: " ").last)) ?? 0
  }

  @Test(arguments: RecipientPatternTests.messages.indices)
  func aPlanSaysWhatARenderingSays(number: Int) async throws {
    let scene = try await scene(RecipientPatternTests.devices)
    let message = RecipientPatternTests.messages[number]
    var random = SplitMix64(seed: UInt64(number))
    let strangers = scene.ids + [Sample.id()]
    let bodies = (0..<500).map { _ in
      let arguments = RecipientPatternTests.randomArguments(&random)
        .map { "\"\($0)\":\($1)" }.joined(separator: ",")
      let id = strangers.randomElement(using: &random) ?? ""
      return body(message, id, "{\(arguments)}")
    }
    // First those that have one message: only a few messages are remembered.
    var quick: [(Int, JSON)] = []
    for body in bodies { quick.append(try await answer(scene, body)) }
    var statuses: Set<Int> = []
    for (body, quick) in zip(bodies, quick) {
      let full = try await answer(scene, alone(body))
      #expect(quick == full, "\(body)")
      statuses.insert(quick.0)
    }
    #expect(statuses.isSuperset(of: [200, 404, 409]))
    // What sets arguments apart or names attributes is rendered by itself.
    #expect(try await filled(scene) > 0 || number >= 2)
    await scene.app.service.stop()
  }

  /// Renders often with some arguments, then with others, and compares as above.
  private func compare(_ scene: Scene, _ body: (String) -> String, _ few: String, _ many: String)
    async throws
  {
    try await warmUp(scene, body(few))
    for arguments in [few, many] {
      let quick = try await answer(scene, body(arguments))
      let full = try await answer(scene, alone(body(arguments)))
      #expect(quick == full, "\(arguments)")
    }
  }

  @Test func aMessageNearTheLimitOfSizeIsJudgedByItsOwnWords() async throws {
    let scene = try await scene([["languages": ["en"], "capabilities": ["loc-key"]]])
    var message: JSON = [
      "alert": ["key": "FOOD_PICKUP", "args": ["when", "what"]], "truncation": "reject",
      "parameters": ["when": ["type": "string"], "what": ["type": "string"]],
    ]
    for length in stride(from: 3800, to: 4100, by: 12) {
      message["data"] = ["pad": .string(String(repeating: "x", count: length))]
      try await compare(
        scene, { [message] in body(message, scene.ids[0], $0) }, #"{"when":"now","what":"Tea"}"#,
        #"{"when":"at half past five","what":"Soup of the day"}"#)
    }
    await scene.app.service.stop()
  }

  @Test func theCollapseIDOfACallIsJudgedByItsOwnWords() async throws {
    let voip: JSON = ["token": .string(Sample.token())]
    let scene = try await scene([["languages": ["en"], "credentials": ["voip": voip]]])
    let message: JSON = [
      "alert": ["title": "{c}"], "collapse_id": "{c}", "data": ["call": ["n": 1]],
      "parameters": ["c": ["type": "string"]],
    ]
    try await compare(
      scene,
      { arguments in
        body(message, scene.ids[0], arguments)
          .replacing(#","arguments""#, with: #","credential":"voip","arguments""#)
      }, #"{"c":"short"}"#, #"{"c":"\#(String(repeating: "x", count: 70))"}"#)
    await scene.app.service.stop()
  }

  @Test func aPlanEndsWithTheCatalog() async throws {
    let scene = try await scene([["languages": ["en"]]])
    let message = try await stored(scene, ["alert": ["title": ["key": "FOOD_ORDERED"]]])
    let body = body(message, scene.ids[0])
    try await warmUp(scene, body)
    #expect(try await filled(scene) > 0)
    let files = [(path: "en.lproj/Localizable.strings", text: #""FOOD_ORDERED" = "Newer";"#)]
    #expect(try await scene.app.admin.upload("\(scene.app.path)/catalogs/412", files).status == 200)
    let (_, json) = try await answer(scene, body)
    #expect(json["payload"]["aps"]["alert"]["title"] == "Newer")
    await scene.app.service.stop()
  }

  @Test func aPlanEndsWithTheStoredMessageAndWithTheApp() async throws {
    let scene = try await scene([["languages": ["en"]]])
    let stored = "\(scene.app.path)/messages/hello"
    #expect(try await scene.app.admin.put(stored, ["alert": "one"]).status == 201)
    let body = body("hello", scene.ids[0])
    try await warmUp(scene, body)
    #expect(try await filled(scene) > 0)
    #expect(try await scene.app.admin.put(stored, ["alert": "two"]).status == 200)
    let (_, json) = try await answer(scene, body)
    #expect(json["payload"]["aps"]["alert"] == "two")

    try await warmUp(scene, body)
    let changed = try await scene.app.service.client(.inProcess).put(
      scene.app.path,
      ["bundle_id": .string("com.example.\(scene.app.slug)"), "message_type_key": "kind"])
    #expect(changed.status == 200, "\(changed.text)")
    let (_, typed) = try await answer(scene, body)
    #expect(typed["payload"]["kind"] == "hello")
    await scene.app.service.stop()
  }

  @Test func aDeviceThatChangesGetsWhatItsNewStateSays() async throws {
    let scene = try await scene([["languages": ["en"]]])
    let body = body(Scene.message, scene.ids[0], #"{"when":"noon","what":"Tea"}"#)
    try await warmUp(scene, body)
    let path = scene.app.installation(scene.ids[0])
    #expect(try await scene.app.sender.patch(path, ["languages": ["fr"]]).status == 200)
    #expect(try await answer(scene, body).1["language"] == "fr")
    #expect(
      try await scene.app.sender.patch(path, ["authorization": ["status": "denied"]]).status == 200)
    #expect(try await answer(scene, body).0 == 409)
    #expect(try await scene.app.sender.delete(path).status == 204)
    #expect(try await answer(scene, body).0 == 404)
    await scene.app.service.stop()
  }

  @Test func timeGoesOnForAMessageThatDependsOnIt() async throws {
    let scene = try await scene([["languages": ["en"]]])
    let message = try await stored(scene, Scene.message)
    let body = body(message, scene.ids[0], #"{"when":"noon","what":"Tea"}"#)
    try await warmUp(scene, body)
    let before = try await answer(scene, body).1["headers"]["apns-expiration"].string
    clock.move(bySeconds: 5)
    let after = try await answer(scene, body).1["headers"]["apns-expiration"].string
    #expect(try await filled(scene) > 0)
    #expect(Int(try #require(after)) == Int(try #require(before)).map { $0 + 5 })
    await scene.app.service.stop()
  }

  /// gorush takes no expiration of 0: one attempt is the second after the rendering.
  @Test func timeGoesOnForGorush() async throws {
    let scene = try await scene([["languages": ["en"]]])
    let message = try await stored(scene, ["alert": "one", "ttl": 0])
    let body = body(message, scene.ids[0])
      .replacing(#""arguments""#, with: #""shape":"gorush","arguments""#)
    func expiration() async throws -> JSON {
      try await answer(scene, body).1["notifications"].elements[0]["expiration"]
    }
    #expect(try await expiration() == 1_900_000_001)
    clock.move(bySeconds: 5)
    #expect(try await expiration() == 1_900_000_006)
    await scene.app.service.stop()
  }
}
