import AppTesting
import Testing

@testable import App

/// Rows that nothing of the service writes, such as a person's repair by hand, cost themselves at
/// most: no instance ends, and nothing of other rows is refused.
@Suite struct StoredExtremesTests {
  @Test func aRevisionAtItsEndGoesOn() async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    let path = app.installation(Sample.id())
    #expect(try await app.admin.put(path, Sample.report()).status == 201)
    try await service.database.query(
      "UPDATE installation SET revision = 9223372036854775807; DELETE FROM sighting")
    var tags: Set<String> = []
    for number in 1...3 {
      let reply = try await app.admin.send(
        "PATCH", path, json: ["time_zone": .string(number == 2 ? "Asia/Tokyo" : "Europe/Rome")])
      #expect(reply.status == 200)
      tags.insert(reply["etag"] ?? "")
    }
    #expect(tags.count == 3)
    #expect(try await app.admin.put(path, Sample.report()).status == 200)
    #expect(try await app.admin.delete(path).status == 204)
    await service.stop()
  }

  @Test(arguments: [
    "languages = ARRAY['fr', NULL]", "tags = ARRAY['a', NULL]",
    "other_credentials = '[null, 7, {}, {\"kind\": \"widgets\"}]'", "other_credentials = '{}'",
    "created_at = '0001-01-01', updated_at = '294200-01-01'", "last_seen_at = '294200-01-01'",
    "apns_registered_at = '4000-01-01 BC', last_seen_at = '4000-01-01 BC'",
  ])
  func aRowThatNobodyWritesCostsItselfAlone(change: String) async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    let (bad, good) = (app.installation(Sample.id()), app.installation(Sample.id()))
    for path in [bad, good] {
      #expect(try await app.admin.put(path, Sample.report()).status == 201)
    }
    let id = bad.split(separator: "/").last ?? ""
    try await service.database.query(
      "UPDATE installation SET \(change) WHERE installation_id = '\(id)'")
    let list = "\(app.path)/installations"
    #expect(try await app.admin.get(list).json["items"].elements.count == 2)
    for type in ["application/x-ndjson", "text/csv"] {
      let export = try await app.admin.send("GET", list, fields: [("Accept", type)])
      #expect(export.status == 200)
      #expect(export.text.split(whereSeparator: \.isNewline).count >= 2)
    }
    let rendered = try await app.sender.post(
      "\(app.path)/render", ["message": ["alert": "Hi"], "to": ["filter": ["platform": "ios"]]])
    #expect(rendered.status == 200)
    #expect(rendered.text.split(separator: "\n").count >= 3)
    for path in [bad, good] {
      #expect(try await app.admin.get(path).status == 200)
      #expect(try await app.admin.put(path, Sample.report()).status == 200)
    }
    await service.stop()
  }
}
