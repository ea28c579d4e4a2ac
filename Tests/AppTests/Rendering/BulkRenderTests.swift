import AppTesting
import Testing

/// One message for any audience: lines as they are made, and a summary behind them. One after the
/// other, as there may be only so many streams at a time.
@Suite(.serialized) struct BulkRenderTests {
  /// An app with the catalog of build 412 and devices in three languages.
  struct Scene {
    let app: TestApp
    private(set) var ids: [String] = []

    init(_ transport: Transport, devices: [[String: JSON]]) async throws {
      app = try await TestApp.make(transport)
      let uploaded = try await app.admin.upload("\(app.path)/catalogs/412", RenderTests.files)
      #expect(uploaded.status == 201)
      for device in devices {
        var report = Sample.report(Sample.token())
        report["app_build"] = "412"
        report["app_version"] = "3.2.0"
        for (name, value) in device { report[name] = value }
        let id = Sample.id()
        #expect(try await app.client.put(app.installation(id), report).status == 201)
        ids.append(id)
      }
    }

    func render(
      to audience: JSON, shape: String = "requests", accept: String = "application/x-ndjson",
      more: [String: JSON] = [:]
    ) async throws -> [JSON] {
      var body: JSON = [
        "message": RenderTests.message, "arguments": ["when": "12:30", "what": "Soup"],
        "to": audience, "shape": .string(shape),
      ]
      for (name, value) in more { body[name] = value }
      let reply = try await app.sender.send(
        "POST", "\(app.path)/render", json: body, fields: [("Accept", accept)])
      #expect(reply.status == 200)
      return reply.text.split(separator: "\n").map { JSON(parsing: Array($0.utf8)) }
    }
  }

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
    let lines = try await scene.render(to: ["all": true])
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
    let lines = try await scene.render(to: ["all": true], shape: "groups")
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
    let lines = try await scene.render(to: audience)
    #expect(lines.count == count + 1)
    #expect(lines.last?["summary"]["devices"] == .number(Double(count)))
    #expect(lines.last?["summary"]["skipped"] == skipped)
  }

  @Test func listedInstallationsThatAreNotThereAreCounted() async throws {
    let scene = try await Scene(.inProcess, devices: Self.devices)
    let listed = [scene.ids[0], scene.ids[1].uppercased(), scene.ids[1], Sample.id()]
    let lines = try await scene.render(to: ["installations": .array(listed.map(JSON.string))])
    #expect(lines.count == 3)
    #expect(lines[2]["summary"]["devices"] == 3)
    #expect(lines[2]["summary"]["skipped"] == ["installation_not_found": 1])
  }

  @Test func theDeniedAreAddressedOnlyOnDemand() async throws {
    let scene = try await Scene(.inProcess, devices: [Self.devices[3]])
    let alone: JSON = ["installation": .string(scene.ids[0])]
    var question: JSON = ["message": ["alert": "Hi"], "to": alone]
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
    let document = try await scene.render(to: ["all": true], accept: "application/json")
    #expect(document.count == 1)
    #expect(document[0]["items"].elements.count == 3)
    #expect(document[0]["summary"]["rendered"] == 3)
    let one = try await scene.render(
      to: ["installation": .string(scene.ids[0])], accept: "application/x-ndjson")
    #expect(one.count == 2)
    #expect(one[1]["summary"]["rendered"] == 1)
  }

  @Test func gorushTakesItsBodies() async throws {
    let scene = try await Scene(.inProcess, devices: [Self.devices[0]])
    let to: JSON = ["installation": .string(scene.ids[0])]
    let body = try await scene.render(to: to, shape: "gorush", accept: "application/json")[0]
    let notification = body["notifications"][0]
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
      "message": ["alert": "Hi", "relevance_score": 1], "to": to, "shape": "gorush",
    ]
    let refused = try await scene.app.sender.post("\(scene.app.path)/render", question)
    #expect(refused.faults == ["/shape unknown_value"])
  }

  @Test func aSimulatorTakesItsFile() async throws {
    let scene = try await Scene(.inProcess, devices: Self.devices)
    let more: [String: JSON] = ["message": ["alert": "Hi"], "arguments": [:]]
    let files = try await scene.render(to: ["all": true], shape: "simulator", more: more)
    #expect(files.count == 2)
    let bundle = JSON.string("com.example.\(scene.app.slug)")
    #expect(files[0] == ["Simulator Target Bundle": bundle, "aps": ["alert": "Hi"]])
  }

  @Test func groupsHoldAThousandTokens() async throws {
    let scene = try await Scene(.inProcess, devices: [])
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
    let lines = try await scene.render(to: ["all": true], shape: "groups").dropLast()
    // The languages differ, the payload does not.
    #expect(Set(lines.map { $0["payload"] }).count == 1)
    #expect(lines.map { $0["tokens"].elements.count } == [1000, 1000, 1000, 1000, 1000])
    #expect(lines.filter { $0["environment"] == "sandbox" }.count == 1)
    #expect(Set(lines.flatMap { $0["tokens"].elements }).count == 5000)
  }

  @Test func tokensOfManyAreNoAudience() async throws {
    let scene = try await Scene(.inProcess, devices: [])
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
    let scene = try await Scene(.inProcess, devices: [])
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
    let lines = try await scene.render(to: ["all": true], more: ["explain": true])
    #expect(lines.count == 2501)
    #expect(lines.last?["summary"]["rendered"] == 2500)
    let strangers = lines.dropLast().filter { line in
      !line["explain"]["tests"].elements.contains { $0["saw"] == line["installation_id"] }
    }
    #expect(strangers.isEmpty)
    let groups = try await scene.render(
      to: ["all": true], shape: "groups", more: ["explain": true])
    #expect(Set(groups.flatMap { $0["tokens"].elements }).count == 2500)
  }
}
