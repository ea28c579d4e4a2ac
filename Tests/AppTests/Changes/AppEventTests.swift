import AppTesting
import Testing

@testable import App

/// What happens to an app is told once, however many instances notice it.
@Suite struct AppEventTests {
  private func told(_ app: TestApp, _ name: String) async throws -> [JSON] {
    try await app.sender.get("\(app.path)/changes?limit=1000").json["items"].elements
      .filter { $0["event"] == .string(name) }
  }

  @Test func aBreakerIsToldWhenItOpensAndCloses() async throws {
    let shared = try await FeedbackService()
    let app = try await shared.service.app()
    let tokens = (0..<20).map { _ in Sample.token() }
    for token in tokens { try await app.register(token) }
    for part in [tokens.prefix(19), tokens.suffix(1)] {
      _ = try await app.report(part.map { result($0, "BadDeviceToken") })
    }
    try await eventually { try await told(app, "breaker_opened").count == 1 }
    #expect(
      try await app.admin.delete("\(app.path)/feedback/breakers/production").status == 204)
    try await eventually { try await told(app, "breaker_closed").count == 1 }
    let (opened, closed) = (
      try await told(app, "breaker_opened")[0], try await told(app, "breaker_closed")[0]
    )
    #expect(opened["environment"] == "production")
    #expect(opened["source"] == "feedback")
    #expect(opened["installation_id"] == .null)
    #expect(closed["source"] == "backend")
    // The burst undid what it had done, and that is told in this order.
    let events = try await app.sender.get("\(app.path)/changes?limit=1000").json["items"].elements
      .compactMap { $0["event"].string }
    #expect(events.count { $0 == "quarantined" } == 19)
    #expect(events.count { $0 == "restored" } == 19)
    await shared.service.stop()
  }

  @Test func aBurstOfFailuresIsToldOnce() async throws {
    let clock = ManualClock()
    let first = try await TestService.start(loops: 2, clock: { clock.now })
    let second = try await TestService.start(
      database: first.database, loops: 2, clock: { clock.now })
    let app = try await first.app()
    func fail(_ count: Int, _ kind: JSON) async throws {
      try await withThrowingTaskGroup { group in
        for index in 0..<count {
          let service = index.isMultiple(of: 2) ? first : second
          group.addTask {
            let client = service.client(key: app.keys["client"])
            // The other instance hears of the key in a moment.
            try await eventually {
              try await client.post(
                "\(app.path)/failures", ["kind": kind, "error": ["domain": "d", "code": 1]]
              ).status == 201
            }
          }
        }
        try await group.waitForAll()
      }
    }
    try await fail(Int(Limits.failureBurst) - 1, "apns")
    try await fail(Int(Limits.failureBurst) - 1, "voip")
    try await fail(1, "apns")
    try await fail(20, "apns")
    try await eventually { try await told(app, "failure_burst").count == 1 }
    let event = try await told(app, "failure_burst")[0]
    #expect(event["kind"] == "apns")
    #expect(event["installation_id"] == .null)
    let count = "SELECT count(*) FROM app_history WHERE event = 'failure_burst'"
    #expect(try await first.database.value(count) == "1")
    // It goes on for longer than an hour, and stops.
    clock.advance(3_600_001)
    try await fail(Int(Limits.failureBurst) - 1, "apns")
    #expect(try await first.database.value(count) == "1")
    try await fail(1, "apns")
    #expect(try await first.database.value(count) == "2")
    await first.stop()
    await second.stop()
  }

  @Test func aBuildWithoutACatalogIsToldOnce() async throws {
    let first = try await TestService.start()
    let second = try await TestService.start(database: first.database)
    let app = try await first.app()
    let count = "SELECT count(*) FROM app_history WHERE event = 'build_without_catalog'"
    func countAhead() async {
      async let one: Void = first.countAhead()
      async let other: Void = second.countAhead()
      _ = await (one, other)
    }
    func register(_ fields: [String: JSON]) async throws {
      var report = Sample.report()
      for (name, value) in fields { report[name] = value }
      _ = try await app.admin.put(app.installation(Sample.id()), report)
    }
    try await register(["app_build": "412"])
    // An app without any catalog has nothing to miss.
    await countAhead()
    #expect(try await first.database.value(count) == "0")
    _ = try await app.admin.upload(
      "\(app.path)/catalogs/411", [("en.lproj/Localizable.strings", "\"a\" = \"b\";")])
    try await eventually {
      await countAhead()
      return try await first.database.value(count) == "1"
    }
    try await register(["app_build": "411"])
    try await register(["app_version": "9.9"])
    await countAhead()
    await countAhead()
    #expect(try await first.database.value(count) == "2")
    try await eventually { try await told(app, "build_without_catalog").count == 2 }
    #expect(
      try await told(app, "build_without_catalog").map { $0["app_build"] } == ["412", "9.9"])
    await first.stop()
    await second.stop()
  }
}
