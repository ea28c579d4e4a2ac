import AppTesting
import Foundation
import HTTPServer
import Postgres
import Synchronization
import Testing

@testable import App

/// An app goes from one Postilion to another, while both serve.
@Suite(.onOnePostgres) struct AppMoveTests {
  /// Two services, each with a database of its own, and an app of the first.
  private struct Scene: Sendable {
    let here: TestService
    let there: TestService
    let app: TestApp
    /// The same app at the other one.
    var moved: TestApp { there.app(like: app) }

    init(here: TestService, there: TestService, app: TestApp) {
      (self.here, self.there, self.app) = (here, there, app)
    }

    init() async throws {
      here = try await TestService.start()
      there = try await TestService.start()
      app = try await here.app()
    }

    func stop() async {
      await here.stop()
      await there.stop()
    }

    /// Waits until the other service has heard that the app has arrived.
    func untilMoved() async throws {
      try await eventually { try await moved.admin.get("\(app.path)/keys").status == 200 }
    }

    /// Runs the command, which ends by an error behind a step.
    func move(
      to other: ScratchDatabase? = nil, isTakenBack: Bool = false,
      reached: @escaping @Sendable (_ step: Int) async throws -> Void = { _ in }
    ) async throws {
      let mover = try Service(
        database: DatabaseAddress(here.database.owner), loops: 1, connections: 1,
        timeouts: ServerTimeouts(), databaseWaitNanoseconds: 120_000_000_000, streamPlaces: nil,
        replica: nil, floods: FloodLimits(), proxies: TrustedProxies(), webhookNetworks: [],
        startTime: .systemNow, clock: nil, log: { _ in })
      try await mover.move(
        app.slug, to: DatabaseAddress((other ?? there.database).owner),
        isTakenBack: isTakenBack, reached: reached, tell: { _ in })
    }
  }

  private struct Broken: Error {}

  /// What the tasks of a test tell each other.
  private final class Progress: Sendable {
    /// The installations that were acknowledged.
    let acknowledged = Mutex<[String]>([])
    let isOver = Mutex(false)
    /// How many tasks register devices; they end the one they are at.
    let writers = Mutex(6)

    /// Whether no more events come behind so many. An empty page does not say so: a transaction of
    /// another test on the same PostgreSQL, while it is open, keeps younger events back.
    func isAll(_ told: Int) -> Bool {
      writers.withLock { $0 } == 0 && told >= 2 * acknowledged.withLock { $0.count }
    }

    func waitForMore(than more: Int) async throws {
      let before = acknowledged.withLock { $0.count }
      while acknowledged.withLock({ $0.count }) <= before + more {
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  /// What answers say of an app, by path.
  private static let paths = [
    "", "/installations?limit=200&sort=created_at", "/messages", "/channels", "/catalogs",
    "/catalogs/1.0/files", "/keys", "/failures", "/users/ada",
    "/installations?language=fr&tag=beta",
  ]

  private func told(_ app: TestApp) async throws -> [String] {
    var answers: [String] = []
    for path in Self.paths {
      let reply = try await app.service.client(key: app.keys["admin"]).get(app.path + path)
      #expect(reply.status == 200, "\(path) \(reply.text)")
      answers.append("\(path) \(reply.text)")
    }
    return answers
  }

  private func changes(_ app: TestApp, after cursor: String) async throws -> (
    items: [String], cursor: String
  ) {
    try await untilAllIsTold(app)
    let page = try await app.sender.get("\(app.path)/changes?limit=200&after=\(cursor)")
    try #require(page.status == 200, "\(page.text)")
    let items = page.json["items"].elements.map { item in
      ["event", "installation_id", "kind", "at"].map { item[$0].string ?? "-" }
        .joined(separator: " ")
    }
    return (items, try #require(page.json["next_cursor"].string))
  }

  private func fill(_ app: TestApp) async throws {
    for number in 0..<20 {
      var report = Sample.fullReport()
      report["user"] = ["id": "ada"]
      report["languages"] = number % 2 == 0 ? ["fr"] : ["de-AT", "en"]
      let path = app.installation(Sample.id())
      #expect(try await app.admin.put(path, report).status == 201)
      guard number % 4 == 0 else { continue }
      report["credentials"]["apns"]["token"] = .string(Sample.token())
      #expect(try await app.admin.put(path, report).status == 200)
    }
    #expect(
      try await app.admin.put(
        app.installation(Sample.id()), OtherCredentialsTests.report(OtherCredentialsTests.all())
      ).status == 201)
    #expect(
      try await app.admin.upload(
        "\(app.path)/catalogs/1.0", [("fr.lproj/Localizable.strings", "\"hi\" = \"Salut\";")]
      ).status == 201)
    #expect(
      try await app.admin.put(
        "\(app.path)/messages/hi", ["alert": ["body": ["key": "hi"]]]
      ).status == 201)
    #expect(
      try await app.admin.put(
        "\(app.path)/channels/match",
        ["environment": "production", "type": "Match", "storage_policy": 0]
      ).status == 201)
    #expect(
      try await app.client.post(
        "\(app.path)/failures",
        ["kind": "apns", "error": ["domain": "NSCocoaErrorDomain", "code": 3000]]
      ).status == 201)
    #expect(
      try await app.admin.put("\(app.path)/users/ada/language", ["language": "it"]).status == 200)
    #expect(
      try await app.admin.post(
        "\(app.path)/webhooks", ["url": "https://example.com/hook"]
      ).status == 201)
  }

  @Test func everythingArrives() async throws {
    let scene = try await Scene()
    let (app, moved) = (scene.app, scene.moved)
    // A reader who was told nothing yet.
    let start = try await changes(app, after: "now").cursor
    _ = try await app.admin.put(app.installation(Sample.id()), Sample.report())
    let early = try await changes(app, after: "now").cursor
    try await fill(app)
    let before = try await told(app)
    let all = try await changes(app, after: early)
    #expect(all.items.count > 40)
    let half = try await app.sender.get("\(app.path)/changes?after=\(early)&limit=15")
    let middle = try #require(half.json["next_cursor"].string)

    try await scene.move()
    try await scene.untilMoved()

    let after = try await told(moved)
    for (new, old) in zip(after, before) { #expect(new == old) }
    // Readers go on from wherever they were.
    #expect(try await changes(moved, after: early).items == all.items)
    let sinceStart = try await changes(moved, after: start).items
    #expect(sinceStart.suffix(all.items.count) == all.items[...])
    let behindMiddle = try await changes(moved, after: middle).items
    #expect(behindMiddle == Array(all.items.dropFirst(15)))
    let behindEnd = try await changes(moved, after: all.cursor).items
    #expect(behindEnd == [])
    let id = Sample.id()
    #expect(try await moved.client.put(moved.installation(id), Sample.report()).status == 201)
    #expect(try await changes(moved, after: all.cursor).items.count == 1)
    let rendered = try await moved.sender.post(
      "\(moved.path)/render", ["message": "hi", "to": ["user": "ada"]])
    #expect(rendered.status == 200, "\(rendered.text)")

    // Here each call is told to come again, until the rest is deleted.
    let late = try await app.client.put(app.installation(id), Sample.report())
    #expect(late.status == 503 && late.problem == "app_moving")
    #expect(late["retry-after"] == "5")
    #expect(try await app.sender.get("\(app.path)/changes?after=now").problem == "app_moving")
    let root = scene.here.client()
    #expect(try await root.get(app.path).status == 200)
    try await scene.move()
    #expect(try await root.delete(app.path).status == 204)
    #expect(try await root.get(app.path).status == 404)
    await scene.stop()
  }

  /// Whatever writes is refused while the app leaves, and what reads is served.
  @Test func whatLeavesIsReadAndNotWritten() async throws {
    let scene = try await Scene()
    let app = scene.app
    try await fill(app)
    let known = try await app.admin.get("\(app.path)/installations?limit=1").json["items"][0]
    let id = try #require(known["installation_id"].string)
    let token = try #require(known["credentials"]["apns"]["token"].string)
    let webhook = try await app.admin.get("\(app.path)/webhooks").json["items"][0]["id"].string
    await #expect(throws: Broken.self) {
      try await scene.move { step in if step == 1 { throw Broken() } }
    }
    let root = scene.here.client()
    let refused: [Reply] = [
      try await app.client.put(app.installation(Sample.id()), Sample.report()),
      // Also a report that changes nothing but times.
      try await app.admin.put(app.installation(id), Sample.report(token)),
      try await app.admin.put(app.installation(id), ["locale": "fr_FR"]),
      try await app.admin.delete(app.installation(id)),
      try await app.admin.delete("\(app.path)/users/ada"),
      try await app.admin.put("\(app.path)/users/ada/language", ["language": "es"]),
      try await app.admin.put("\(app.path)/users/ada/language", ["language": .null]),
      try await app.client.post(
        "\(app.path)/failures",
        ["kind": "apns", "error": ["domain": "NSCocoaErrorDomain", "code": 3000]]),
      try await app.admin.put("\(app.path)/messages/hi", ["alert": ["body": "x"]]),
      try await app.admin.delete("\(app.path)/messages/hi"),
      try await app.admin.delete("\(app.path)/catalogs/1.0"),
      try await app.admin.delete("\(app.path)/channels/match"),
      try await app.admin.delete("\(app.path)/webhooks/\(webhook ?? "")"),
      try await app.admin.post("\(app.path)/webhooks", ["url": "https://example.com/hook"]),
      try await root.post("\(app.path)/keys", ["kind": "sender"]),
      try await root.put(app.path, ["name": "another"]),
      try await app.sender.post(
        "\(app.path)/feedback",
        [
          "results": [
            [
              "token": .string(token), "environment": "production", "status": 410,
              "reason": "Unregistered", "timestamp": 4_102_444_800_000,
            ]
          ]
        ]),
    ]
    for (index, reply) in refused.enumerated() {
      #expect(reply.status == 503 && reply.problem == "app_moving", "\(index) \(reply.text)")
    }
    let rendered = try await app.sender.post(
      "\(app.path)/render", ["message": "hi", "to": ["user": "ada"]])
    #expect(rendered.status == 200, "\(rendered.text)")
    #expect(try await app.admin.get("\(app.path)/installations").status == 200)

    try await scene.move(isTakenBack: true)
    // As soon as the service has heard of it.
    try await eventually {
      try await app.admin.put(app.installation(id), ["locale": "fr_FR"]).status == 200
    }
    await scene.stop()
  }

  /// The command breaks off behind each step, and is run again.
  @Test(arguments: 1...4) func whatBreaksOffBeginsAgain(step broken: Int) async throws {
    let scene = try await Scene()
    try await fill(scene.app)
    let before = try await told(scene.app)
    await #expect(throws: Broken.self) {
      try await scene.move { step in if step == broken { throw Broken() } }
    }
    // Nobody sees it there yet.
    let early = try await scene.there.client().get("\(scene.app.path)/stats").status
    #expect([404, 503].contains(early))
    try await scene.move()
    try await scene.untilMoved()
    #expect(try await told(scene.moved) == before)
    await scene.stop()
  }

  /// What has left arrives where it was going, or stays; it is never at two places.
  @Test func whatHasLeftGoesNowhereElse() async throws {
    let scene = try await Scene()
    let other = try await TestService.start()
    try await fill(scene.app)
    let before = try await told(scene.app)
    await #expect(throws: Broken.self) {
      try await scene.move { step in if step == 4 { throw Broken() } }
    }
    for isTakenBack in [true, false] {
      await #expect(throws: AppMove.Failure.self) {
        try await scene.move(to: other.database, isTakenBack: isTakenBack)
      }
    }
    try await scene.move(isTakenBack: true)
    try await eventually { try await scene.app.admin.get("\(scene.app.path)/keys").status == 200 }
    #expect(try await told(scene.app) == before)
    await #expect(throws: AppMove.Failure.self) { try await scene.move(isTakenBack: true) }

    // An app of the name that has to do with it in no way is not touched.
    let namesake = try await other.client().put(scene.app.path, ["bundle_id": "com.example.other"])
    #expect(namesake.status == 201)
    await #expect(throws: AppMove.Failure.self) { try await scene.move(to: other.database) }
    #expect(try await other.client().get(scene.app.path).json["bundle_id"] == "com.example.other")
    #expect(
      try await scene.app.client.put(
        scene.app.installation(Sample.id()), Sample.report()
      ).status == 201)

    // There and back.
    try await scene.move()
    try await scene.untilMoved()
    let back = Scene(here: scene.there, there: scene.here, app: scene.moved)
    try await back.move()
    try await back.untilMoved()
    #expect(
      try await back.moved.client.put(
        back.moved.installation(Sample.id()), Sample.report()
      ).status == 201)
    await other.stop()
    await scene.stop()
  }

  /// Devices register and a reader follows the feed, each wherever the app is.
  @Test(.timeLimit(.minutes(10))) func nothingIsLostUnderLoad() async throws {
    let scene = try await Scene()
    let progress = Progress()
    /// Asks the one, and the other one if the app is not there.
    @Sendable func call(_ send: (TestApp) async throws -> Reply) async throws -> Reply {
      var isThere = false
      while true {
        let reply = try await send(isThere ? scene.moved : scene.app)
        guard [401, 404, 503].contains(reply.status) else { return reply }
        isThere.toggle()
        try Task.checkCancellation()
      }
    }
    let first = try await changes(scene.app, after: "now").cursor
    let told = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<progress.writers.withLock({ $0 }) {
        group.addTask {
          defer { progress.writers.withLock { $0 -= 1 } }
          while !progress.isOver.withLock({ $0 }), !Task.isCancelled {
            let id = Sample.id()
            for token in [Sample.token(), Sample.token()] {
              let reply = try await call {
                try await $0.admin.put($0.installation(id), Sample.report(token))
              }
              #expect([200, 201].contains(reply.status), "\(reply.text)")
            }
            progress.acknowledged.withLock { $0.append(id) }
          }
          return []
        }
      }
      group.addTask {
        var (cursor, told) = (first, [String]())
        while true {
          let wasAll = progress.isAll(told.count)
          let place = cursor
          let page = try await call {
            try await $0.sender.get("\($0.path)/changes?after=\(place)")
          }
          try #require(page.status == 200, "\(page.text)")
          told += page.json["items"].elements.map {
            "\($0["event"].string ?? "") \($0["installation_id"].string ?? "")"
          }
          cursor = try #require(page.json["next_cursor"].string)
          if wasAll && page.json["items"] == [] || Task.isCancelled { return told }
        }
      }
      try await progress.waitForMore(than: 30)
      try await scene.move()
      try await progress.waitForMore(than: 30)
      progress.isOver.withLock { $0 = true }
      return try await group.reduce([], +)
    }
    let ids = progress.acknowledged.withLock { $0 }
    let expected = Set(ids.flatMap { ["registered \($0)", "rotated \($0)"] })
    #expect(Set(told).symmetricDifference(expected) == [])
    #expect(told.count == expected.count)
    for id in ids {
      #expect(try await scene.moved.admin.get(scene.moved.installation(id)).status == 200)
    }
    await scene.stop()
  }
}
