import AppTesting
import Testing

/// Whoever stores a message hears what its catalogs do not have.
@Suite struct MessageWarningTests {
  private static let message: JSON = [
    "alert": [
      "title": ["key": "TITLE", "catalog": "server"], "body": ["key": "BODY", "args": ["count"]],
    ],
    "parameters": ["count": ["type": "string"]],
  ]

  /// In short: `catalog pointer code languages`.
  private func summaries(_ reply: Reply) -> [String] {
    reply.json["warnings"].elements.map { warning in
      #expect(warning["detail"].string != nil)
      let languages = warning["languages"].elements.compactMap(\.string).joined(separator: ",")
      return [
        warning["catalog"].string ?? "-", warning["pointer"].string ?? "?",
        warning["code"].string ?? "?", languages,
      ].joined(separator: " ")
    }
  }

  private func upload(_ app: TestApp, _ version: String, _ texts: [String: String]) async throws {
    let files = texts.sorted { $0.key < $1.key }.map { language, text in
      (path: "\(language).lproj/Localizable.strings", text: text)
    }
    let reply = try await app.admin.upload("\(app.path)/catalogs/\(version)", files)
    try #require(reply.status == 201, "\(reply.text)")
  }

  private func register(_ app: TestApp, build: String) async throws {
    var report = Sample.report()
    report["app_build"] = .string(build)
    let reply = try await app.client.put(app.installation(Sample.id()), report)
    try #require(reply.status == 201)
  }

  @Test(arguments: Transport.allCases)
  func theCatalogsSayWhatTheyDoNotHave(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = "\(app.path)/messages/m"
    let early = try await app.admin.put(path, Self.message)
    #expect(early.status == 201)
    #expect(
      summaries(early) == ["- /alert/body/key unknown_key ", "- /alert/title/key unknown_key "])

    // The server's catalog stands for the app's as long as there is no other.
    try await upload(app, "server", ["en": "TITLE = t; BODY = \"%d\";"])
    #expect(
      summaries(try await app.admin.get(path)) == ["server /alert/body/args/0 argument_type en"])

    try await upload(app, "1", ["en": "BODY = \"%d %@\";", "fr": "BODY = b;", "de": "A = a;"])
    try await upload(app, "2", ["en": "OTHER = o;"])
    try await register(app, build: "1")
    let unchanged = try await app.admin.put(path, Self.message)
    #expect(unchanged.status == 200)
    #expect(unchanged.json["version"] == 1)
    #expect(
      summaries(unchanged) == [
        "2 /alert/body/key unknown_key ",
        "1 /alert/body/key missing_in_language de",
        "1 /alert/body/args argument_count en",
        "1 /alert/body/args/0 argument_type en",
      ])
  }

  @Test func whatIsRarelyMeantIsSaid() async throws {
    let app = try await TestApp.make(.inProcess)
    let message: JSON = [
      "alert": "Hi {{name}}", "parameters": ["name": ["type": "string"]],
    ]
    let reply = try await app.admin.put("\(app.path)/messages/m", message)
    #expect(reply.status == 201)
    #expect(
      summaries(reply) == [
        "- /alert double_braces ", "- /parameters/name unused_parameter ",
      ])
    #expect(try await app.admin.get("\(app.path)/messages/m").json["warnings"].elements.count == 2)
  }

  /// Of old uploads nobody has to hear: only of those that a device still gets texts from, and of
  /// the last, whose build may not be out yet.
  @Test func onlyCatalogsThatDevicesUseAreCompared() async throws {
    let app = try await TestApp.make(.inProcess)
    for version in ["1", "3", "5", "7", "9"] {
      try await upload(app, version, ["en": "OTHER = o;"])
    }
    try await register(app, build: "3")
    // Nearest to 5.
    try await register(app, build: "6")
    let reply = try await app.admin.put("\(app.path)/messages/m", ["alert": ["key": "A"]])
    #expect(summaries(reply) == ["9", "5", "3"].map { "\($0) /alert/key unknown_key " })
  }

  @Test func onlyTheNewestBuildsAreCompared() async throws {
    let app = try await TestApp.make(.inProcess)
    for number in 1...12 { try await register(app, build: "\(number)") }
    try await app.service.database.query(
      """
      INSERT INTO catalog (app_id, version, development_language, languages, key_count, diagnostics,
        created_at)
      SELECT id, n::text, 'en', '{}', 0, '[]',
        '2026-05-02T10:00:00Z'::timestamptz + make_interval(secs => n)
      FROM app, generate_series(1, 12) AS n WHERE slug = '\(app.slug)'
      """)
    let reply = try await app.admin.put("\(app.path)/messages/m", ["alert": ["key": "A"]])
    #expect(
      summaries(reply) == (3...12).reversed().map { "\($0) /alert/key unknown_key " })
  }
}
