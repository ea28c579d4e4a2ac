import AppTesting
import Foundation
import Testing

/// One message for any audience: lines as they are made, and a summary behind them. One after the
/// other, as there may be only so many streams at a time.
@Suite(.serialized) struct BulkRenderTests {
  static let devices: [[String: JSON]] = [
    ["languages": ["fr-CA", "en"], "user": ["id": "u1"]],
    ["languages": ["fr"], "user": ["id": "u1"], "tags": ["beta"]],
    ["languages": ["de"], "user": ["id": "u2"]],
    ["languages": ["de"], "authorization": ["status": "denied"]],
    ["languages": ["de"], "credentials": .null],
  ]

  @Test(arguments: Transport.allCases)
  func eachDeviceHasALine(transport: Transport) async throws {
    let scene = try await Scene(transport, devices: Self.devices)
    let lines = try await scene.lines(to: ["all": true])
    #expect(lines.count == 4)
    #expect(
      Set(lines.dropLast().map { $0["installation_id"].string }) == Set(scene.ids.prefix(3)))
    let summary = try #require(lines.last)["summary"]
    #expect(
      summary == [
        "devices": 5, "rendered": 3, "skipped": ["denied": 1, "no_credential": 1],
        "modes": ["server": 3], "languages": ["en": 1, "fr": 2],
        "problems": [:],
      ])
  }

  @Test func groupsHaveEachPayloadOnce() async throws {
    let scene = try await Scene(.inProcess, devices: Self.devices)
    let lines = try await scene.lines(to: ["all": true], shape: "groups")
    #expect(lines.dropLast().map { $0["tokens"].elements.count }.sorted() == [1, 2])
    #expect(lines[0]["headers"]["apns-id"] == .absent)
  }

  @Test(
    arguments: [
      (["user": "u1"], 2, [:]), (["users": ["u1", "u2", "u3"]], 3, [:]),
      (["filter": ["tag": "beta"]], 1, [:]),
      (["filter": ["language": "fr", "platform": "ios", "app_version[gte]": "3"]], 2, [:]),
      (["filter": ["tag": "none"]], 0, [:]),
      (["filter": ["user": "u2"]], 1, [:]),
    ] as [(JSON, Int, JSON)])
  func anAudienceIsFound(audience: JSON, count: Int, skipped: JSON) async throws {
    let scene = try await Scene(.inProcess, devices: Self.devices)
    let lines = try await scene.lines(to: audience)
    #expect(lines.count == count + 1)
    #expect(lines.last?["summary"]["devices"] == .number(Double(count)))
    #expect(lines.last?["summary"]["skipped"] == skipped)
  }

  @Test func listedInstallationsThatAreNotThereAreCounted() async throws {
    let scene = try await Scene(.inProcess, devices: Self.devices)
    let listed = [scene.ids[0], scene.ids[1].uppercased(), scene.ids[1], Sample.id()]
    let lines = try await scene.lines(to: ["installations": .array(listed.map(JSON.string))])
    #expect(lines.count == 3)
    #expect(lines[2]["summary"]["devices"] == 3)
    #expect(lines[2]["summary"]["skipped"] == ["installation_not_found": 1])
  }

  @Test func theDeniedAreAddressedOnlyOnDemand() async throws {
    let scene = try await Scene(.inProcess, devices: [Self.devices[3]])
    var question: JSON = ["message": ["alert": "Hi"], "to": scene.first]
    let refused = try await scene.app.sender.post("\(scene.app.path)/render", question)
    #expect(refused.status == 409 && refused.problem == "denied")
    question["include_denied"] = true
    #expect(try await scene.app.sender.post("\(scene.app.path)/render", question).status == 200)
    question["include_denied"] = false
    question["message"] = ["content_available": true]
    #expect(try await scene.app.sender.post("\(scene.app.path)/render", question).status == 200)
  }

  @Test func aTokenLeadsToItsInstallation() async throws {
    let token = Sample.token()
    let credentials: JSON = ["apns": ["token": .string(token)]]
    let scene = try await Scene(.inProcess, devices: [["credentials": credentials]])
    var question: JSON = ["message": ["alert": "Hi"], "to": ["token": .string(token)]]
    let found = try await scene.app.sender.post("\(scene.app.path)/render", question)
    #expect(found.json["installation_id"] == .string(scene.ids[0]))
    question["credential"] = "voip"
    let other = try await scene.app.sender.post("\(scene.app.path)/render", question)
    #expect(other.status == 404 && other.problem == "token_not_found")
  }

  @Test func aClientThatTakesOnlyJSONGetsOneDocument() async throws {
    let scene = try await Scene(.inProcess, devices: Self.devices)
    let document = try await scene.lines(to: ["all": true], accept: "application/json")
    #expect(document.count == 1)
    #expect(document[0]["items"].elements.count == 3)
    #expect(document[0]["summary"]["rendered"] == 3)
    let one = try await scene.lines(to: scene.first, accept: "application/x-ndjson")
    #expect(one.count == 2)
    #expect(one[1]["summary"]["rendered"] == 1)
  }

  @Test func gorushTakesItsBodies() async throws {
    let scene = try await Scene(.inProcess, devices: [Self.devices[0]])
    let bodies = try await scene.lines(
      to: scene.first, shape: "gorush", accept: "application/json")
    let notification = bodies[0]["notifications"][0]
    let token = notification["tokens"][0].string ?? ""
    #expect(token.count == 64)
    var rest = notification
    rest["tokens"] = .absent
    rest["expiration"] = .absent
    #expect(
      rest == [
        "platform": 1, "production": true, "topic": .string("com.example.\(scene.app.slug)"),
        "push_type": "alert",
        "priority": "high", "collapse_id": "order-Soup", "category": "ORDER",
        "thread-id": "orders", "sound": "default", "data": ["what": "Soup"],
        "alert": ["title": "Nouvelle commande", "body": "12:30 : Soup vous attend"],
      ])
    let question: JSON = [
      "message": ["alert": "Hi", "relevance_score": 1], "to": scene.first, "shape": "gorush",
    ]
    let refused = try await scene.app.sender.post("\(scene.app.path)/render", question)
    #expect(refused.faults == ["/shape unknown_value"])
  }

  /// gorush sends no expiration of 0: APNs would keep what is worth one attempt for days.
  @Test func oneAttemptEndsInASecondForGorush() async throws {
    let scene = try await Scene(.inProcess, devices: [Self.devices[0]])
    for (lifetime, latest) in [(0, 61), (3600, 3660)] as [(Int, Int)] {
      let message: JSON = ["alert": "Hi", "ttl": .number(Double(lifetime))]
      let start = Int(Date().timeIntervalSince1970)
      let bodies = try await scene.lines(
        to: scene.first, shape: "gorush", accept: "application/json",
        more: ["message": message, "arguments": [:]])
      guard case .number(let end) = bodies[0]["notifications"][0]["expiration"] else {
        Issue.record("there is no expiration in \(bodies)")
        return
      }
      #expect((start + max(1, lifetime)...start + latest).contains(Int(end)), "\(lifetime)")
    }
  }

  @Test func aSimulatorTakesItsFile() async throws {
    let scene = try await Scene(.inProcess, devices: Self.devices)
    let more: [String: JSON] = ["message": ["alert": "Hi"], "arguments": [:]]
    let files = try await scene.lines(to: ["all": true], shape: "simulator", more: more)
    #expect(files.count == 2)
    let bundle = JSON.string("com.example.\(scene.app.slug)")
    #expect(files[0] == ["Simulator Target Bundle": bundle, "aps": ["alert": "Hi"]])
  }

  @Test func groupsHoldAThousandTokens() async throws {
    let scene = try await Scene(.inProcess)
    try await scene.app.service.database.query(
      """
      INSERT INTO installation (app_id, installation_id, revision, platform, environment,
        apns_token, apns_status, apns_registered_at, languages, facets, localization, capabilities,
        tags, created_at, updated_at, last_seen_at)
      SELECT id, gen_random_uuid(), 1, 'ios',
        CASE n % 5 WHEN 0 THEN 'sandbox' ELSE 'production' END, uuid_send(gen_random_uuid()),
        'active', now, ARRAY[CASE n % 2 WHEN 0 THEN 'en' ELSE 'en-GB' END], '{}', 'auto',
        '{}', '{}', now, now, now
      FROM app, generate_series(1, 5000) AS n, now() WHERE slug = '\(scene.app.slug)'
      """)
    let lines = try await scene.lines(to: ["all": true], shape: "groups").dropLast()
    // The languages differ, the payload does not.
    #expect(Set(lines.map { $0["payload"] }).count == 1)
    #expect(lines.map { $0["tokens"].elements.count } == [1000, 1000, 1000, 1000, 1000])
    #expect(lines.filter { $0["environment"] == "sandbox" }.count == 1)
    #expect(Set(lines.flatMap { $0["tokens"].elements }).count == 5000)
  }

  @Test func tokensOfManyAreNoAudience() async throws {
    let scene = try await Scene(.inProcess)
    try await scene.app.service.database.query(
      """
      INSERT INTO token_owner (app_id, environment, kind, token, installation_id, registered_at)
      SELECT id, 'production', 'apns', decode('abcdef0123', 'hex') || uuid_send(gen_random_uuid()),
        gen_random_uuid(), now
      FROM app, generate_series(1, 1000), now() WHERE slug = '\(scene.app.slug)'
      """)
    let question: JSON = ["message": ["alert": "Hi"], "to": ["filter": ["token": "abcdef0123"]]]
    let reply = try await scene.app.sender.post("\(scene.app.path)/render", question)
    #expect(reply.faults == ["/to/filter/token too_many"])
  }

  @Test func contentsTooManyToRememberStayWithTheirDevices() async throws {
    let scene = try await Scene(.inProcess)
    // What an explanation says of each differs.
    try await scene.app.service.database.query(
      """
      INSERT INTO installation (app_id, installation_id, revision, platform, environment,
        apns_token, apns_status, apns_registered_at, languages, facets, localization, capabilities,
        tags, created_at, updated_at, last_seen_at)
      SELECT id, device, 1, 'ios', 'production', uuid_send(device), 'active', now, '{en}', '{}',
        'auto', ARRAY[device::text], '{}', now, now, now
      FROM app, (SELECT gen_random_uuid() AS device FROM generate_series(1, 2500)) AS devices, now()
      WHERE slug = '\(scene.app.slug)'
      """)
    let lines = try await scene.lines(to: ["all": true], more: ["explain": true])
    #expect(lines.count == 2501)
    #expect(lines.last?["summary"]["rendered"] == 2500)
    let strangers = lines.dropLast().filter { line in
      !line["explain"]["tests"].elements.contains { $0["saw"] == line["installation_id"] }
    }
    #expect(strangers.isEmpty)
    let groups = try await scene.lines(
      to: ["all": true], shape: "groups", more: ["explain": true])
    #expect(Set(groups.flatMap { $0["tokens"].elements }).count == 2500)
  }
}
