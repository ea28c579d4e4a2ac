import AppTesting
import EventLoop
import Postgres
import Testing

@testable import App

/// What is for all is shared by apps: two keys of one have no more of it than one.
@Suite struct FairnessTests {
  /// Calls that take one of the places for bulk transfers, by operation.
  private static let calls:
    [(operation: String, call: @Sendable (TestApp, Client) async throws -> Reply)] = [
      (
        "listInstallations",
        { app, client in
          try await client.send(
            "GET", "\(app.path)/installations", fields: [("Accept", "text/csv")])
        }
      ),
      ("getStats", { app, client in try await client.get("\(app.path)/stats?platform=ios") }),
      (
        "summarizeFailures", { app, client in try await client.get("\(app.path)/failures/summary") }
      ),
      ("getCoverage", { app, client in try await client.get("\(app.path)/catalogs/1/coverage") }),
      (
        "sliceByLocalTime",
        { app, client in
          try await client.post(
            "\(app.path)/audiences/local-time", ["to": ["all": true], "at": "09:00"])
        }
      ),
      (
        "render",
        { app, client in
          try await client.send(
            "POST", "\(app.path)/render",
            json: ["message": ["alert": "Hi"], "to": ["all": true]],
            fields: [("Accept", "application/x-ndjson")])
        }
      ),
      (
        "importInstallations",
        { app, client in
          var record = Sample.report()
          record["installation_id"] = .string(Sample.id())
          return try await client.send(
            "POST", "\(app.path)/installations/import", body: Array(record.text.utf8))
        }
      ),
    ]

  @Test func theKeysOfAnAppShareItsPlaces() async throws {
    let service = try await TestService.start(streamPlaces: 4)
    let (app, other) = (try await service.app(), try await service.app())
    for each in [app, other] {
      let files = [("en.lproj/Localizable.strings", #""K" = "V";"#)]
      #expect(try await each.admin.upload("\(each.path)/catalogs/1", files).status == 201)
    }
    let id = try #require(service.service.shared.directory.snapshot.apps[AppSlug(app.slug)!]?.id)
    let database = service.service.contexts[0].database
    // As if another of its calls had them, whichever key it came with.
    let places = try await database.loop.run {
      Result { try (0..<3).map { _ in try database.takePlace(for: id) } }
    }.get()
    for (operation, call) in Self.calls {
      let kinds = try Route(operation, slug: app.slug).kinds
      // An admin renders for one device at a time.
      for kind in kinds where (operation, kind) != ("render", "admin") {
        let key = service.client(key: app.keys[kind])
        let reply = try await call(app, key)
        #expect(reply.problem == "overloaded", "\(operation) \(kind): \(reply.text)")
        let elsewhere = try await call(other, service.client(key: other.keys[kind]))
        #expect(elsewhere.status == 200, "\(operation) \(kind): \(elsewhere.text)")
      }
    }
    await database.loop.run { for place in places { place.close() } }
    #expect(try await Self.calls[0].call(app, app.sender).status == 200)
    await service.stop()
  }

  @Test func anAppLeavesPlacesForTheWebhooksOfOthers() {
    let sender = WebhookSender(WebhookReach(), limit: 8)
    func taken(by appID: Int32, isDoubtful: Bool) -> Int {
      var count = 0
      while count < 100, sender.takePlace(for: appID, isDoubtful: isDoubtful) { count += 1 }
      return count
    }
    #expect(taken(by: 1, isDoubtful: true) == 3)
    #expect(taken(by: 2, isDoubtful: true) == 1)
    #expect(taken(by: 1, isDoubtful: false) == 3)
    #expect(taken(by: 2, isDoubtful: false) == 1)
  }
}
