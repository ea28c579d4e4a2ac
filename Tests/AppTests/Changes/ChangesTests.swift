import AppTesting
import Foundation
import Testing

@testable import App

/// What changed, as a backend reads it.
@Suite struct ChangesTests {
  /// An entry in short, with names for ids.
  private func told(_ items: [JSON], _ names: [String: String]) -> [String] {
    items.map { item in
      let fields = [
        "event", "installation_id", "from_installation_id", "kind", "environment", "source",
        "reason", "app_build",
      ]
      return fields.compactMap { item[$0].string }.map { names[$0] ?? $0 }.joined(separator: " ")
    }
  }

  /// A device, from its first report to its end, and what happened to it in between.
  @Test(arguments: Transport.allCases)
  func aLifeIsToldInItsOrder(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let (phone, tablet) = (Sample.id(), Sample.id())
    let (first, second) = (Sample.token(), Sample.token())
    let start = try await app.sender.get("\(app.path)/changes?after=now")
    #expect(start.status == 200)
    #expect(start.json["items"] == [])
    #expect(start.json["has_more"] == false)

    _ = try await app.admin.put(app.installation(phone), Sample.report(first))
    // The same again is no change.
    _ = try await app.admin.put(app.installation(phone), Sample.report(first))
    _ = try await app.admin.put(app.installation(phone), ["locale": "fr_FR"])
    _ = try await app.admin.put(app.installation(phone), Sample.report(second))
    let bare: JSON = ["platform": "ios", "environment": "production"]
    _ = try await app.admin.put(app.installation(tablet), bare)
    _ = try await app.admin.put(app.installation(tablet), Sample.report(second))
    _ = try await app.sender.post(
      "\(app.path)/feedback",
      [
        "results": [
          [
            "token": .string(second), "environment": "production", "status": 410,
            "reason": "Unregistered", "timestamp": 4_102_444_800_000,
          ]
        ]
      ])
    _ = try await app.admin.delete("\(app.installation(tablet))/credentials/apns")
    _ = try await app.admin.delete(app.installation(tablet))

    let items = try await allChanges(of: app)
    #expect(
      told(items, [phone: "phone", tablet: "tablet"]) == [
        "registered phone apns production backend",
        "updated phone backend",
        "rotated phone apns production backend",
        "created tablet backend",
        "moved tablet phone apns production backend",
        "invalidated tablet apns production feedback Unregistered",
        "removed tablet apns production backend credential_deleted",
        "deleted tablet backend installation_deleted",
      ])
    #expect(!items.description.contains(first) && !items.description.contains(second))

    // A reader that goes on where it was reads the same.
    var cursor = try #require(start.json["next_cursor"].string)
    var again: [JSON] = []
    while true {
      let page = try await app.admin.get("\(app.path)/changes?limit=1&after=\(cursor)")
      again += page.json["items"].elements
      cursor = try #require(page.json["next_cursor"].string)
      if page.json["has_more"] == false { break }
      #expect(page.json["items"][0]["cursor"].string == cursor)
    }
    #expect(again == items)
    #expect(try await app.sender.get("\(app.path)/changes?after=\(cursor)").json["items"] == [])
  }

  @Test(arguments: Transport.allCases)
  func anImportIsTold(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let id = Sample.id()
    for locale in ["fr_FR", "fr_FR", "de_DE"] {
      var record = Sample.report("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")
      record["installation_id"] = .string(id)
      record["locale"] = .string(locale)
      let reply = try await app.admin.send(
        "POST", "\(app.path)/installations/import", body: Array((record.text + "\n").utf8))
      #expect(reply.json["rejected"] == 0, "\(reply.text)")
    }
    let items = try await allChanges(of: app)
    #expect(
      told(items, [id: "it"]) == [
        "registered it apns production import", "updated it import",
      ])
  }

  @Test(arguments: Transport.allCases)
  func ofAnErasedPersonItIsToldThatTheyAre(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let id = Sample.id()
    var report = Sample.report()
    report["user"] = ["id": "ada"]
    _ = try await app.admin.put(app.installation(id), report)
    _ = try await app.admin.put(app.installation(id), ["locale": "fr_FR"])
    try await untilAllIsTold(app)
    _ = try await app.admin.delete("\(app.path)/users/ada")
    try await eventually {
      let items = try await app.sender.get("\(app.path)/changes").json["items"].elements
      return told(items, [id: "it"]) == ["erased it backend user_erased"]
    }
    let rows = try await app.service.database.value(
      "SELECT string_agg(event, ' ') FROM app_history WHERE installation_id = '\(id)'")
    #expect(rows == "erased")
  }

  @Test(
    arguments: [
      ("after=x", "", ["after unknown_value"]), ("after=", "", ["after unknown_value"]),
      ("follow=1", "", ["follow unknown_value"]), ("limit=0", "", ["limit out_of_range"]),
      ("cursor=x", "", ["cursor unknown_field"]),
      ("limit=5", "application/x-ndjson", ["limit unknown_field"]),
      ("limit=5&follow=true", "", ["limit unknown_field"]),
      ("limit=5", "text/event-stream", ["limit unknown_field"]),
    ])
  func badInputIsRefused(query: String, accept: String, faults: [String]) async throws {
    let app = try await TestApp.make(.inProcess)
    let reply = try await app.sender.send(
      "GET", "\(app.path)/changes?\(query)",
      fields: accept.isEmpty ? [] : [("Accept", accept)])
    #expect(reply.status == 422)
    #expect(reply.faults == faults)
  }

  @Test func whereABrowserIsCountsMoreThanItsAddress() async throws {
    let app = try await TestApp.make(.socket)
    let reply = try await app.sender.send(
      "GET", "\(app.path)/changes?after=now",
      fields: [("Accept", "text/event-stream"), ("Last-Event-ID", "x")])
    #expect(reply.faults == ["Last-Event-ID unknown_value"])
  }
}

/// All changes of an app that are acknowledged.
func allChanges(of app: TestApp) async throws -> [JSON] {
  try await untilAllIsTold(app)
  let reply = try await app.sender.get("\(app.path)/changes?limit=1000")
  guard reply.status == 200 else { throw Unexpected(reply: reply) }
  return reply.json["items"].elements
}

/// Waits for each transaction that is under way: those of other tests on the same cluster too hold
/// back the changes that are younger.
func untilAllIsTold(_ app: TestApp) async throws {
  let database = app.service.database
  let last = try await database.value("SELECT pg_current_xact_id()") ?? ""
  try await eventually {
    try await database.value(
      "SELECT '\(last)'::xid8 < pg_snapshot_xmin(pg_current_snapshot())") == "t"
  }
}
