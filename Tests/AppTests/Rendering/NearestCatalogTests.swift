import AppTesting
import Testing

/// A release that reaches phones before its strings reach the service loses no notification.
@Suite struct NearestCatalogTests {
  private static let message: JSON = ["alert": ["key": "FOOD_ORDERED"], "sound": "default"]

  private static func strings(_ text: String) -> [(path: String, text: String)] {
    [(path: "en.lproj/Localizable.strings", text: "\"FOOD_ORDERED\" = \"\(text)\";\n")]
  }

  /// Registers a device of a build.
  private func register(
    _ app: TestApp, build: String?, version: String? = nil, more: [String: JSON] = [:]
  ) async throws -> String {
    let id = Sample.id()
    var report = Sample.report()
    report["app_build"] = build.map(JSON.string) ?? .null
    report["app_version"] = version.map(JSON.string) ?? .null
    for (name, value) in more { report[name] = value }
    try #require(try await app.client.put(app.installation(id), report).status == 201)
    return id
  }

  private func render(
    _ app: TestApp, _ to: JSON, _ message: JSON = message, more: [String: JSON] = [:]
  ) async throws -> Reply {
    var body: JSON = ["message": message, "to": to]
    for (name, value) in more { body[name] = value }
    return try await app.sender.post("\(app.path)/render", body)
  }

  @Test(arguments: Transport.allCases)
  func aBuildWithoutACatalogGetsTheTextsOfTheNearest(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    for version in ["410", "412", "500"] {
      let reply = try await app.admin.upload(
        "\(app.path)/catalogs/\(version)", Self.strings("of \(version)"))
      try #require(reply.status == 201)
    }
    for (build, nearest) in [("417", "412"), ("9", "410"), ("1000", "500")] {
      let id = try await register(
        app, build: build, more: ["capabilities": ["loc-key"], "os_version": "17.4"])
      let reply = try await render(
        app, ["installation": .string(id)], more: ["explain": true])
      #expect(reply.status == 200)
      #expect(reply.json["payload"]["aps"]["alert"] == .string("of \(nearest)"))
      #expect(
        reply.json["problems"] == [
          ["code": "nearest_catalog_used", "detail": .string(nearest), "part": "body"]
        ])
      // The keys of that build are not known.
      #expect(reply.json["mode"] == "server")
      #expect(reply.json["explain"]["mode"] == "no_catalog_for_build")
    }
    // In an audience, too; and the upload mends it at once.
    let lines = try await render(app, ["all": true]).text
    #expect(lines.contains(#""skipped":{},"modes":{"server":3}"#))
    #expect(lines.contains(#""problems":{"nearest_catalog_used":3}"#))
    _ = try await app.admin.upload("\(app.path)/catalogs/9", Self.strings("of 9"))
    #expect(try await render(app, ["all": true]).text.contains("of 9"))
  }

  @Test func theServersCatalogAndTheDevelopmentLanguageComeAfterTheNearest() async throws {
    let app = try await TestApp.make(.inProcess)
    let id = try await register(app, build: "417", more: ["languages": ["fr"]])
    _ = try await app.admin.upload("\(app.path)/catalogs/412", Self.strings("near"))
    _ = try await app.admin.upload(
      "\(app.path)/catalogs/server",
      [(path: "en.lproj/Localizable.strings", text: "OTHER = o;")])
    let near = try await render(app, ["installation": .string(id)])
    #expect(near.json["payload"]["aps"]["alert"] == "near")
    let other = try await render(
      app, ["installation": .string(id)], ["alert": ["key": "OTHER"]])
    #expect(other.json["payload"]["aps"]["alert"] == "o")
    #expect(other.json["problems"].elements.map { $0["code"] } == ["other_catalog_used"])
  }

  /// A payload that shows nothing is no request, whatever form the answer has.
  @Test(arguments: ["requests", "groups", "gorush", "simulator"])
  func whatShowsNothingIsNeverARequest(shape: String) async throws {
    let app = try await TestApp.make(.socket)
    let id = try await register(app, build: "417")
    let silent: [JSON] = [
      Self.message, ["alert": ["key": "NOWHERE"]],
      ["alert": ["title": ["key": "NOWHERE"], "body": ["key": "NOWHERE"]], "badge": 3],
      ["push_type": "alert", "data": ["a": 1]],
    ]
    for message in silent {
      let one = try await render(
        app, ["installation": .string(id)], message, more: ["shape": .string(shape)])
      #expect(one.status == 422)
      #expect(one.problem == "nothing_to_show")
      let all = try await render(app, ["all": true], message, more: ["shape": .string(shape)])
      #expect(all.status == 200)
      #expect(
        all.text == """
          {"summary":{"devices":1,"rendered":0,"skipped":{"nothing_to_show":1},"modes":{},\
          "languages":{},"problems":{}}}

          """)
    }
    // What is meant to be silent is sent.
    let background = try await render(app, ["all": true], ["data": ["a": 1]])
    #expect(background.text.contains(#""rendered":1"#))
  }

  @Test func buildsWithoutACatalogAreListedLoggedAndCounted() async throws {
    let service = try await TestService.start()
    let app = try await service.app(.inProcess)
    _ = try await app.admin.upload("\(app.path)/catalogs/412", Self.strings("a"))
    _ = try await app.admin.upload("\(app.path)/catalogs/3.0", Self.strings("b"))
    for (build, version) in [
      ("417", "3.2"), ("417", "3.2"), ("412", "3.1"), ("7", "3.0"), ("418", nil), (nil, nil),
    ] {
      _ = try await register(app, build: build, version: version)
    }
    let missing: JSON = [
      ["app_build": "417", "app_version": "3.2", "devices": 2],
      ["app_build": "418", "app_version": .null, "devices": 1],
    ]
    let stats = try await app.admin.get("\(app.path)/stats")
    #expect(stats.json["builds_without_catalog"] == missing)
    let coverage = try await app.admin.get("\(app.path)/catalogs/412/coverage")
    #expect(coverage.json["builds_without_catalog"] == missing)

    for _ in 0..<3 { _ = try await render(app, ["all": true]) }
    let metrics = try await service.client(.inProcess).get("/metrics").text
    #expect(
      metrics.contains(#"postilion_render_problems_total{code="nearest_catalog_used"} 12"# + "\n"))
    // Each build once, until a catalog changes.
    let told = service.log.text.split(separator: "\n").filter { $0.contains("catalog_missing") }
    #expect(told.count == 3)
    #expect(told.contains { $0.contains("417") && $0.contains(app.slug) })
    await service.stop()
  }
}
