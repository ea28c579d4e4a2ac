import AppTesting
import Testing

/// Tags of all installations on which a person is logged in.
@Suite struct UserTagsTests {
  private func report(_ user: String, _ tags: [JSON]) -> JSON {
    var report = Sample.report()
    report["user"] = ["id": .string(user)]
    report["tags"] = .array(tags)
    return report
  }

  @Test(arguments: Transport.allCases)
  func allDevicesOfAPersonAreTagged(transport: Transport) async throws {
    let (app, other) = (try await TestApp.make(transport), try await TestApp.make(transport))
    let (phone, tablet, full, his) = (Sample.id(), Sample.id(), Sample.id(), Sample.id())
    let sixty = (1...60).map { JSON.string("t\($0)") }
    _ = try await app.admin.put(app.installation(phone), report("ada", ["old"]))
    _ = try await app.admin.put(app.installation(tablet), report("ada", ["vip"]))
    _ = try await app.admin.put(app.installation(full), report("ada", sixty))
    _ = try await app.admin.put(app.installation(his), report("bob", ["old"]))
    _ = try await other.admin.put(other.installation(phone), report("ada", ["old"]))

    let path = "\(app.path)/users/ada/tags"
    let change: JSON = ["add": ["vip"], "remove": ["old"]]
    let changed = try await app.sender.post(path, change)
    #expect(changed.status == 200)
    #expect(changed.text == changed.json.text, "members are sorted")
    #expect(changed.json == ["user": "ada", "installations": 3, "changed": 1, "full": 1])
    func tags(_ app: TestApp, _ id: String) async throws -> JSON {
      try await app.admin.get(app.installation(id)).json["tags"]
    }
    #expect(try await tags(app, phone) == ["vip"])
    #expect(try await tags(app, tablet) == ["vip"])
    #expect(try await tags(app, full) == .array(sixty))
    #expect(try await tags(app, his) == ["old"])
    #expect(try await tags(other, phone) == ["old"])

    let again = try await app.admin.post(path, change)
    #expect(again.json == ["user": "ada", "installations": 3, "changed": 0, "full": 1])
    let nobody = try await app.sender.post("\(app.path)/users/nobody/tags", change)
    #expect(nobody.json == ["user": "nobody", "installations": 0, "changed": 0, "full": 0])
    let wrong = try await app.sender.post(path, ["add": ["a"], "remove": ["a"]])
    #expect(wrong.faults == ["/remove in_both_lists"])
  }

  @Test func manyDevicesAreTaggedInPortions() async throws {
    let app = try await TestApp.make(.socket)
    _ = try await app.admin.put(app.installation(Sample.id()), report("farm", []))
    try await app.service.database.query(UserErasureTests.copies(600, of: "farm", in: app.slug))
    let path = "\(app.path)/users/farm/tags"
    let changed = try await app.sender.post(path, ["add": ["gold"]])
    #expect(changed.json == ["user": "farm", "installations": 601, "changed": 601, "full": 0])
    let tagged = try await app.service.database.value(
      """
      SELECT count(*) || ' ' || max(revision % 1048576)
      FROM installation JOIN app ON app.id = app_id
      WHERE slug = '\(app.slug)' AND tags = '{gold}'
        AND facets @> ARRAY[app_id || ':tag:gold']
      """)
    #expect(tagged == "601 2")
    let again = try await app.sender.post(path, ["add": ["gold"], "remove": ["old"]])
    #expect(again.json == ["user": "farm", "installations": 601, "changed": 0, "full": 0])
  }
}
