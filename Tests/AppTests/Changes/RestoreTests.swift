import AppTesting
import Testing

@testable import App

/// Restored from files: what clients and receivers kept from the lost database is not taken for
/// something of the restored one.
@Suite struct RestoreTests {
  /// A service on one of the servers, with its app and a receiver of its changes.
  private struct Stage {
    let service: TestService
    let app: TestApp
    private static let token = Sample.token()

    /// Makes something that has a tag, or changes it.
    func write(_ thing: EntityTagTests.Thing, _ state: Int) async throws -> Reply {
      let text = String(state)
      switch thing {
      case .app:
        let settings: JSON = [
          "bundle_id": .string("com.example.\(app.slug)"), "name": .string(text),
          "identity_verification": "off",
        ]
        return try await service.client().put(app.path, settings)
      case .installation:
        var report = Sample.report(Self.token)
        report["tags"] = [.string(text)]
        return try await app.sender.put(path(thing), report)
      case .catalog:
        return try await app.admin.upload(
          path(thing), [("en.lproj/A.strings", "\"key\" = \"\(text)\";")])
      case .message: return try await app.admin.put(path(thing), ["badge": .number(Double(state))])
      }
    }

    func path(_ thing: EntityTagTests.Thing) -> String {
      switch thing {
      case .app: app.path
      case .installation: app.installation("0b7c1f7e-3a52-4d0e-9a3c-6a1a0d3b6f10")
      case .catalog: "\(app.path)/catalogs/412"
      case .message: "\(app.path)/messages/ready"
      }
    }

    func register(_ count: Int) async throws {
      for _ in 0..<count {
        _ = try await app.sender.put(app.installation(Sample.id()), Sample.report())
      }
    }

    /// The cursor behind all changes so far.
    func cursor() async throws -> String {
      try await app.sender.get("\(app.path)/changes?after=now").json["next_cursor"].string ?? ""
    }

    func changes(after cursor: String) async throws -> Reply {
      try await app.sender.get("\(app.path)/changes?limit=1000&after=\(cursor)")
    }
  }

  private func begin(_ database: ScratchDatabase, like app: TestApp? = nil) async throws -> Stage {
    let service = try await TestService.start(
      database: database, webhookNetworks: ["127.0.0.0/8"])
    service.service.startDelivering()
    if let app { return Stage(service: service, app: service.app(like: app)) }
    return Stage(service: service, app: try await service.app())
  }

  /// What clients and receivers know of the lost database, from after the copy was made.
  private struct Known {
    var tags: [EntityTagTests.Thing: String] = [:]
    var early = ""
    var late = ""
    /// The path of an installation that can be claimed, and the code.
    var claim = (path: "", code: "")
  }

  @Test(arguments: CopiedCluster.Way.allCases, [false, true])
  func nothingIsTakenForSomethingElse(way: CopiedCluster.Way, knowsFiles: Bool) async throws {
    let cluster = CopiedCluster(knowsFiles: knowsFiles)
    let receiver = TestReceiver()
    let (app, known) = try await loseADatabase(cluster, way, receiver)
    let told = receiver.all.count
    let second = try await begin(try await cluster.start("copy"), like: app)
    try await tagsAreNotThoseFromBefore(second, known.tags)
    try await second.register(60)
    // Whoever was told no more than the copy has goes on; not where the files are seen to differ.
    let goesOn = try await second.changes(after: known.early)
    #expect(goesOn.status == (knowsFiles ? 410 : 200))
    if !knowsFiles { #expect(goesOn.json["items"].elements.count == 61) }
    for _ in 0..<2 {
      #expect(try await second.changes(after: known.late).problem == "changes_gone")
    }
    if !knowsFiles {
      // Only the operator knows.
      let lines = try await second.service.sayRestored()
      #expect(lines.contains { $0.contains(" sender ") && $0.hasSuffix("\"old\"") })
    }
    #expect(try await second.changes(after: known.early).status == 410)
    try await deliveriesAreOthers(second, receiver, told)
    var client = second.app.client
    client.secret = "made-by-the-app-and-kept-in-its-keychain"
    let claim = try await client.send(
      "PUT", known.claim.path, json: ["locale": "fr_FR"],
      fields: [("Postilion-Claim-Code", known.claim.code)])
    #expect(claim.problem == "installation_claim_needed")
    await second.service.stop()
    try await cluster.remove()
  }

  /// Makes a copy of a database, goes on with the database, and ends it.
  private func loseADatabase(
    _ cluster: CopiedCluster, _ way: CopiedCluster.Way, _ receiver: TestReceiver
  ) async throws -> (TestApp, Known) {
    var known = Known()
    let database = try await cluster.start()
    var first = try await begin(database)
    let path = first.app.path
    _ = try await first.app.admin.post("\(path)/webhooks", ["url": .string(receiver.url())])
    let key = try await first.app.admin.post("\(path)/keys", ["kind": "sender", "label": "old"])
    for thing in EntityTagTests.Thing.allCases { _ = try await first.write(thing, 0) }
    try await first.register(5)
    known.claim.path = first.app.installation(Sample.id())
    _ = try await first.app.sender.put(known.claim.path, Sample.report())
    let code = try await first.app.sender.send("POST", "\(known.claim.path)/claim-code")
    known.claim.code = try #require(code.json["claim_code"].string)
    try await eventually { receiver.all.count >= 7 }
    // The receiver hears of a delivery a moment before the service has noted that it does.
    try await eventually {
      try await first.service.database.value(
        "SELECT count(*) FROM webhook_delivery WHERE state = 'pending'") == "0"
    }
    known.early = try await first.cursor()
    if way == .stopped {
      await first.service.stop()
      try await cluster.stop()
    }
    try await cluster.copy(way, of: database)
    if way == .stopped { first = try await begin(try await cluster.start(), like: first.app) }

    // What the copy does not have.
    for thing in EntityTagTests.Thing.allCases {
      let tag = try await first.write(thing, 1)["etag"]
      known.tags[thing] = try #require(tag, "\(thing)") as String
    }
    try await first.register(20)
    known.late = try await first.cursor()
    #expect(try await first.changes(after: known.early).json["items"].elements.count == 21)
    _ = try await first.app.admin.delete("\(path)/keys/\(key.json["id"].string ?? "")")
    try await eventually { receiver.all.count >= 28 }
    await first.service.stop()
    try await cluster.stop()
    return (first.app, known)
  }

  /// The copy counts from where the lost database did, and writes other things.
  private func tagsAreNotThoseFromBefore(
    _ stage: Stage, _ tags: [EntityTagTests.Thing: String]
  ) async throws {
    var root = stage.app.admin
    root.key = TestService.rootKey
    for thing in EntityTagTests.Thing.allCases {
      let tag = try #require(tags[thing])
      let written = try await stage.write(thing, 2)
      #expect(written.status == 200)
      #expect(written["etag"] != tag)
      let path = stage.path(thing)
      let read = try await root.send("GET", path, fields: [("If-None-Match", tag)])
      #expect(read.status == 200, "\(thing)")
      let change = try await root.send("DELETE", path, fields: [("If-Match", tag)])
      #expect(change.status == 412, "\(thing)")
    }
  }

  /// The receiver hears that changes are gone, and of no change under the id of another.
  private func deliveriesAreOthers(
    _ stage: Stage, _ receiver: TestReceiver, _ told: Int
  ) async throws {
    let now = try await stage.cursor()
    try await stage.register(1)
    try await eventually { receiver.all.dropFirst(told).contains { $0.type == "changes_gone" } }
    var items: [JSON] = []
    try await eventually {
      items = try await stage.changes(after: now).json["items"].elements
      return items.count == 1
    }
    try await eventually {
      receiver.all.contains { $0.installation == items[0]["installation_id"].string }
    }
    let (before, after) = (receiver.all.prefix(told), receiver.all.dropFirst(told))
    #expect(Set(before.map(\.id)).isDisjoint(with: after.map(\.id)))
  }

  /// A restart is no restore: nobody loses their place.
  @Test func aRestartOfTheServerLosesNothing() async throws {
    let cluster = CopiedCluster(knowsFiles: true)
    let stage = try await begin(try await cluster.start())
    try await stage.register(3)
    var cursor = try await stage.cursor()
    for round in 1...3 {
      try await cluster.stop()
      _ = try await cluster.start()
      try await eventually { try await stage.changes(after: cursor).status == 200 }
      try await stage.register(round)
      try await eventually {
        try await stage.changes(after: cursor).json["items"].elements.count == round
      }
      cursor = try await stage.cursor()
    }
    // All that is kept can still be read from the beginning.
    let all = try await stage.app.sender.get("\(stage.app.path)/changes")
    #expect(all.json["items"].elements.count == 9)
    await stage.service.stop()
    try await cluster.remove()
  }
}

extension TestService {
  /// What `postilion restored` does, beside the running service.
  fileprivate func sayRestored() async throws -> [String] {
    let process = try RunningProcess(["restored"], environment: ["DATABASE_URL": database.owner])
    #expect(try await process.end() == 0)
    return process.standardOutput.split(separator: "\n").map(String.init)
  }
}
