import AppTesting
import Testing

@testable import App
@testable import Postgres

/// Three instances over one database: what one of them is told, all of them know. How soon that is,
/// and what happens when one of them is killed, `make faults FAULTS=instances` measures.
@Suite struct InstancesTests {
  /// Starts three at once.
  private func three(
    on database: ScratchDatabase, rootKey: String = TestService.rootKey
  ) async throws -> [TestService] {
    try await withThrowingTaskGroup { group in
      for _ in 0..<3 {
        group.addTask { try await TestService.start(database: database, rootKey: rootKey) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test func threeThatStartAtOnceMigrateOnceAndMakeOneRootKey() async throws {
    let database = try await ScratchCluster.database(isMigrated: false)
    let services = try await three(on: database, rootKey: "")
    let migrated = services.map { service in
      service.log.records.filter { $0["event"] == "migrated" }.compactMap { $0["name"].string }
    }
    #expect(migrated.filter { !$0.isEmpty } == [Migration.all.map(\.name)], "one does it all")
    let keys = services.compactMap(\.firstRootKey)
    #expect(keys.count == 1)
    #expect(try await database.query("SELECT kind, origin FROM api_key") == [["root", "first"]])
    for service in services {
      #expect(try await service.client(key: keys.first).get("/v1/apps").status == 200)
      await service.stop()
    }
  }

  /// Each tells of a key, a catalog and a message in turn, when all have the former ones in memory.
  @Test func whatOneIsToldAllKnow() async throws {
    let services = try await three(on: try await ScratchCluster.database())
    let app = try await services[0].app()
    let everywhere = services.map { $0.app(like: app) }
    let id = Sample.id()
    var report = Sample.report()
    report["languages"] = ["fr"]
    report["app_build"] = "412"
    _ = try await app.sender.put(app.installation(id), report)
    for (number, teller) in everywhere.enumerated() {
      try await tellOfAKey(teller, everywhere)
      let text = "text \(number)"
      let file = "\"READY\" = \"\(text)\";"
      _ = try await teller.admin.upload(
        "\(app.path)/catalogs/412", [("fr.lproj/Localizable.strings", file)])
      _ = try await teller.admin.put("\(app.path)/messages/ready", ["alert": .string(text)])
      for other in everywhere {
        let keyed: JSON = ["alert": ["body": ["key": "READY"]]]
        for message in [keyed, "ready"] {
          try await eventually { try await alert(of: message, to: id, other) == text }
        }
      }
    }
    for service in services { await service.stop() }
  }

  private func tellOfAKey(_ teller: TestApp, _ everywhere: [TestApp]) async throws {
    let path = "\(teller.path)/installations"
    // The app itself may be news as well.
    var made = JSON.absent
    try await eventually {
      made = try await teller.admin.post("\(teller.path)/keys", ["kind": "sender"]).json
      return made["key"].string != nil
    }
    for status in [200, 401] {
      for other in everywhere {
        let client = other.service.client(key: made["key"].string)
        try await eventually { try await client.get(path).status == status }
      }
      let id = try #require(made["id"].string)
      _ = try await teller.admin.delete("\(teller.path)/keys/\(id)")
    }
  }

  private func alert(of message: JSON, to id: String, _ app: TestApp) async throws -> String? {
    let reply = try await app.sender.post(
      "\(app.path)/render", ["message": message, "to": ["installation": .string(id)]])
    let alert = reply.json["payload"]["aps"]["alert"]
    return alert["body"].string ?? alert.string
  }
}
