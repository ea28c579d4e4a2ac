import AppTesting
import Testing

/// Tags are added and removed one by one, whatever another writer does with the others.
@Suite struct TagsTests {
  private func report(_ tags: JSON) -> JSON {
    var report = Sample.report()
    report["tags"] = tags
    return report
  }

  /// What is stored: the changes since the first revision, counted from one, and the events.
  private func stored(_ id: String, in app: TestApp) async throws -> String? {
    try await app.service.database.value(
      """
      SELECT revision % 1048576 || ' ' || (SELECT count(*) FROM token_history AS h
        WHERE h.installation_id = i.installation_id)
      FROM installation AS i WHERE installation_id = '\(id)'
      """)
  }

  @Test(.onOnePostgres, arguments: Transport.allCases)
  func tagsComeAndGoWithoutTheRestOfTheList(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let id = Sample.id()
    let path = app.installation(id)
    let created = try await app.sender.put(path, report(["beta", "old"]))
    let change: JSON = ["add": ["vip", "beta"], "remove": ["old", "never"]]
    let changed = try await app.sender.post("\(path)/tags", change)
    #expect(changed.status == 200)
    #expect(changed.json["tags"] == ["beta", "vip"])
    #expect(changed["etag"] != created["etag"])
    let read = try await app.admin.get(path)
    #expect(read.json == changed.json)
    #expect(read["etag"] == changed["etag"])
    for (tag, count) in [("vip", 1), ("old", 0), ("beta", 1)] {
      let found = try await app.admin.get("\(app.path)/installations?tag=\(tag)")
      #expect(found.json["items"].elements.count == count, "\(tag)")
    }
    // No token is concerned, so its history has no more than its registration.
    #expect(try await stored(id, in: app) == "2 1")

    let again = try await app.sender.post("\(path)/tags", change)
    #expect(again.status == 200)
    #expect(again.json == changed.json)
    #expect(again["etag"] == changed["etag"])
    #expect(try await stored(id, in: app) == "2 1", "nothing is written")
  }

  @Test(.onOnePostgres, arguments: Transport.allCases)
  func whatIsRefusedChangesNothing(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let id = Sample.id()
    let path = app.installation(id)
    let tags = (1...60).map { JSON.string("t\($0)") }
    _ = try await app.sender.put(path, report(.array(tags)))
    for (change, fault): (JSON, String) in [
      (["add": ["a"]], "/add too_many"),
      (["add": ["a"], "remove": ["a"]], "/remove in_both_lists"),
      ([:], " missing_field"), (["add": ["a"], "more": []], "/more unknown_field"),
    ] {
      let reply = try await app.sender.post("\(path)/tags", change)
      #expect(reply.status == 422)
      #expect(reply.faults == [fault])
    }
    #expect(try await stored(id, in: app) == "1 1")
    let exchanged = try await app.sender.post("\(path)/tags", ["add": ["a"], "remove": ["t60"]])
    #expect(exchanged.json["tags"] == .array(tags.dropLast() + ["a"]))
    let unknown = app.installation(Sample.id())
    #expect(
      try await app.sender.post("\(unknown)/tags", ["add": ["a"]]).problem
        == "installation_not_found")
  }

  /// Through the loops of two instances, so that no queue puts them in order.
  @Test func whateverIsAddedAtOnceIsThere() async throws {
    let first = try await TestService.start(loops: 2)
    let app = try await first.app()
    let second = try await TestService.start(database: first.database, loops: 2)
    let clients = [app.sender, second.client(key: app.keys["sender"])]
    let path = app.installation(Sample.id())
    _ = try await app.sender.put(path, report(["old"]))
    let added = (1...12).map { "t\($0)" }
    try await withThrowingTaskGroup(of: Reply.self) { group in
      for (index, tag) in added.enumerated() {
        group.addTask {
          try await clients[index % 2].post(
            "\(path)/tags", ["add": [.string(tag)], "remove": ["old"]])
        }
      }
      for try await reply in group {
        #expect(reply.status == 200, "\(reply.text)")
      }
    }
    let tags = try await app.admin.get(path).json["tags"].elements.compactMap(\.string)
    #expect(tags.sorted() == added.sorted())
    await first.stop()
    await second.stop()
  }
}
