import AppTesting
import Testing

@testable import App

/// A client key is public: whatever rows its calls cause, in any table, they are counted.
@Suite struct GrowthTests {
  /// Calls of one route with a client key, each of which may write.
  private typealias Calls = @Sendable (TestApp) async throws -> Void

  /// By operation; a route that is open to client keys and is missing here fails the test.
  private static let calls: [String: Calls] = [
    "putInstallation": { app in
      var device = try await Device(app)
      try await device.report("PUT", Sample.fullReport())
      try await device.report("PUT", device.last)
      try await device.report("PUT", ["platform": "ios", "environment": "production"])
      var sandbox = Sample.fullReport()
      sandbox["environment"] = "sandbox"
      try await device.report("PUT", sandbox)
      // The tokens move to another installation, and come back.
      let thief = try await Device(app, report: sandbox)
      try await device.report("PUT", sandbox)
      try await thief.end()
      try await Device(app, report: ["platform": "ios", "environment": "production"]).end()
    },
    "patchInstallation": { app in
      var device = try await Device(app)
      for locale in ["fr_FR", "de_DE"] {
        try await device.report("PATCH", ["locale": .string(locale)])
      }
      try await device.report("PATCH", ["app_build": "413"])
      try await device.report("PATCH", ["user": ["id": "u43"], "languages": ["fr"]])
      for _ in 0..<5 {
        try await device.report("PATCH", ["credentials": ["apns": .null, "voip": .null]])
        try await device.report(
          "PATCH", ["credentials": ["apns": ["token": .string(Sample.token())]]])
      }
      let text = JSON.string(String(repeating: "x", count: 3000))
      try await device.report("PATCH", ["attributes": ["text": text]])
    },
    "changeTags": { app in
      let device = try await Device(app)
      for body in [["add": ["a"]], ["add": ["a"]], ["remove": ["a"]], ["add": ["b"]]] as [JSON] {
        let reply = try await device.client.post("\(device.path)/tags", body)
        try #require(reply.status == 200, "\(reply.text)")
      }
    },
    "deleteCredential": { app in
      var device = try await Device(app)
      for _ in 0..<5 {
        let reply = try await device.client.delete("\(device.path)/credentials/apns")
        try #require(reply.status == 204, "\(reply.text)")
        try await device.report(
          "PATCH", ["credentials": ["apns": ["token": .string(Sample.token())]]])
      }
    },
    "deleteInstallation": { app in
      let token = Sample.token()
      for _ in 0..<5 { try await Device(app, report: Sample.report(token)).end() }
      for _ in 0..<5 { try await Device(app).end() }
    },
    "reportFailure": { app in
      let id = JSON.string(Sample.id())
      for kind in ["apns", "voip"] {
        let failure: JSON = [
          "kind": .string(kind), "error": ["domain": "d", "code": 1, "message": "m"],
        ]
        // So many that the feed tells of a burst.
        for _ in 0...Limits.failureBurst {
          try #require(try await app.client.post("\(app.path)/failures", failure).status == 201)
        }
        var named = failure
        named["id"] = id
        _ = try await app.client.post("\(app.path)/failures", named)
      }
    },
    "getInstallation": { app in
      let device = try await Device(app)
      try #require(try await device.client.get(device.path).status == 200)
    },
    "matchLanguages": { app in
      let question: JSON = ["preferred": ["fr"], "available": ["en", "fr"]]
      try #require(
        try await app.client.post("/v1/languages/match", question).status == 200)
    },
  ]

  @Test func whatAClientKeyWritesIsCounted() async throws {
    let service = try await TestService.start()
    let open = Features.all.filter { $0.access != .open && $0.access.allows(.client) }
    #expect(Set(open.map(\.operation)) == Set(Self.calls.keys), "Calls for each such route.")
    for (operation, calls) in Self.calls {
      let app = try await service.app()
      // Builds without a catalog are told of, where there is one.
      let files = [("en.lproj/Localizable.strings", #""K" = "V";"#)]
      #expect(try await app.admin.upload("\(app.path)/catalogs/1", files).status == 201)
      let before = (try await rows(of: app), try await counted(by: service))
      try await calls(app)
      await service.countAhead()
      let after = (try await rows(of: app), try await counted(by: service))
      let (written, counted) = (after.0 - before.0, after.1 - before.1)
      #expect(written <= counted, "\(operation): \(written) rows, \(counted) counted")
      #expect((written > 0) == (operation != "matchLanguages"), "\(operation)")
    }
    await service.stop()
  }

  /// The second attempt of a takeover, which knows the owner, costs nothing beside the first.
  @Test func whatIsDecidedAnewIsCountedOnce() async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    let token = Sample.token()
    let owner = try await Device(app, report: Sample.report(token))
    let before = try await counted(by: service)
    let thief = try await Device(app, report: Sample.report(token))
    // The installation, its token in the ledger, one event, and two for their end.
    #expect(try await counted(by: service) - before == 5)
    #expect(try await app.sender.get(owner.path).json["credentials"] == [:])
    // Whoever may register may also leave.
    try await thief.end()
    #expect(try await counted(by: service) - before == 5)
    await service.stop()
  }

  @Test func anEmptyBucketRefusesEveryChangeButTheEnd() async throws {
    var limits = FloodLimits()
    limits.keyGrowth = RateLimit(perSecond: 1, burst: 100)
    let service = try await TestService.start(floods: limits)
    let app = try await service.app()
    let clock = ContinuousClock()
    let (start, first) = (clock.now, try await rows(of: app))
    var device = try await Device(app)
    var tag = 0
    var refused: Reply?
    while refused == nil {
      tag += 1
      let reply = try await device.client.post(
        "\(device.path)/tags", ["add": [.string("\(tag)")], "remove": [.string("\(tag - 1)")]])
      if reply.status != 200 { refused = reply }
    }
    #expect(refused?.problem == "rate_limited")
    #expect(refused?["ratelimit-policy"] == #""key_growth";q=100;w=100"#)
    #expect(try await device.client.delete("\(device.path)/credentials/voip").status == 204)
    // A large report counts as many rows, and the bucket gains one a second.
    let text = JSON.string(String(repeating: "x", count: 60_000))
    let patched = try await device.client.patch(device.path, ["locale": "fr_FR", "note": text])
    #expect(patched.problem == "rate_limited")
    try await device.end()
    device = Device(app, id: Sample.id())
    var report = Sample.fullReport()
    report["note"] = text
    let made = try await device.client.put(device.path, report)
    #expect(made.problem == "rate_limited")
    let seconds = Int((clock.now - start).components.seconds) + 1
    #expect(try await rows(of: app) - first <= 100 + seconds)
    await service.stop()
  }

  /// An installation that has a secret.
  private struct Device {
    let app: TestApp
    let path: String
    var client: Client
    /// What it reported last.
    var last: JSON = [:]

    init(_ app: TestApp, id: String) {
      self.app = app
      path = app.installation(id)
      client = app.client
      client.secret = "secret-of-a-device-of-32-characters"
    }

    /// One that registers.
    init(_ app: TestApp, report: JSON = Sample.fullReport()) async throws {
      self.init(app, id: Sample.id())
      try await self.report("PUT", report)
    }

    mutating func report(_ method: String, _ report: JSON) async throws {
      // Without a time none is older than another.
      last = report
      last["reported_at"] = .absent
      let reply = try await client.send(method, path, json: last)
      guard reply.status == 200 || reply.status == 201 else { throw Unexpected(reply: reply) }
    }

    func end() async throws {
      let reply = try await client.delete(path)
      guard reply.status == 204 else { throw Unexpected(reply: reply) }
    }
  }

  /// The rows of all tables, but for those of other apps: what the feed tells of them may come
  /// late.
  private func rows(of app: TestApp) async throws -> Int {
    let database = app.service.database
    let tables = try await database.query(
      """
      SELECT relname, EXISTS (
        SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'app_id')
      FROM pg_class
      WHERE relkind IN ('r', 'p') AND NOT relispartition
        AND relnamespace = 'public'::regnamespace AND relname <> 'audit_log'
      """
    )
    let slug = app.path.split(separator: "/").last ?? ""
    let counts = tables.map { row in
      let own = row[1] == "t" ? " WHERE app_id = (SELECT id FROM app WHERE slug = '\(slug)')" : ""
      return "(SELECT count(*) FROM \(row[0] ?? "")\(own))"
    }
    let sum = counts.joined(separator: " + ")
    return Int(try await database.value("SELECT \(sum)") ?? "") ?? 0
  }

  /// What the service has counted so far.
  private func counted(by service: TestService) async throws -> Int {
    let lines = try await service.client(key: nil).get("/metrics").text.split(separator: "\n")
    let line = try #require(lines.first { $0.hasPrefix("postilion_growth_rows_total ") })
    return try #require(line.split(separator: " ").last.flatMap { Int($0) })
  }
}
