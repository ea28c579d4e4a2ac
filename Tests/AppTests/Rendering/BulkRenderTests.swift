import AppTesting
import Testing

/// One message for any audience: lines as they are made, and a summary behind them.
@Suite struct BulkRenderTests {
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
}
