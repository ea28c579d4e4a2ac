import AppTesting
import Testing

/// Messages are stored under names, versioned, and changed by whoever knows their version.
@Suite struct MessagesTests {
  static let message: JSON = [
    "alert": ["title": "Order {order}", "body": ["text": ["en": "Ready", "fr": "Prêt"]]],
    "parameters": ["order": ["type": "string"]], "data": ["order": "{order}", "price": 9.5],
  ]

  @Test(arguments: Transport.allCases)
  func aMessageIsStoredChangedAndDeleted(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = "\(app.path)/messages/food_ready"
    #expect(try await app.admin.get(path).problem == "message_not_found")
    let created = try await app.admin.put(path, Self.message)
    #expect(created.status == 201)
    #expect(created.json["name"] == "food_ready")
    #expect(created.json["version"] == 1)
    #expect(created.json["message"] == Self.message)
    #expect(created.json["warnings"] == [])
    #expect(created.json["created_at"] == created.json["updated_at"])
    #expect(try await app.admin.get(path).json == created.json)

    // The same in other words changes nothing.
    let same = try await app.admin.send(
      "PUT", path,
      body: Array(
        """
        { "parameters": {"order": {"type": "string"}}, "data": {"price": 9.50, "order": "{order}"},
          "alert": {"body": {"text": {"fr": "Pr\\u00eat", "en": "Ready"}},
            "title": "Order {order}"} }
        """.utf8))
    #expect(same.status == 200)
    #expect(same["etag"] == created["etag"])
    #expect(same.json == created.json)

    var next = Self.message
    next["badge"] = 1
    let changed = try await app.admin.put(path, next)
    #expect(changed.status == 200)
    #expect(changed["etag"] != created["etag"])
    #expect(changed.json["version"] == 2)
    #expect(changed.json["message"] == next)
    #expect(changed.json["created_at"] == created.json["created_at"])
    let read = try await app.admin.get(path)
    #expect(read["etag"] == changed["etag"])
    #expect(read.json == changed.json)

    #expect(try await app.admin.delete(path).status == 204)
    #expect(try await app.admin.get(path).problem == "message_not_found")
    #expect(try await app.admin.delete(path).problem == "message_not_found")
    #expect(try await app.admin.put(path, next).json["version"] == 1)
  }

  @Test(arguments: Transport.allCases)
  func theListIsByName(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    for name in ["b", "c", "a"] {
      #expect(try await app.admin.put("\(app.path)/messages/\(name)", Self.message).status == 201)
    }
    let items = try await app.admin.items("\(app.path)/messages?limit=2")
    #expect(items.map { $0["name"] } == ["a", "b", "c"])
    #expect(items.allSatisfy { $0["message"] == Self.message && $0["version"] == 1 })
    #expect(items.allSatisfy { $0["warnings"] == .absent })
  }

  /// What a change demands of the tag, and what becomes of it at version 2 and where there is
  /// nothing; `1` and `2` stand for the tags of these versions.
  @Test(
    arguments: [
      (("If-Match", "\"2\""), 200, 412),
      (("If-Match", "\"1\""), 412, 412),
      (("If-Match", "\"1\" ,\t\"2\""), 200, 412),
      (("If-Match", "*"), 200, 412),
      (("If-Match", "W/\"2\""), 412, 412),
      (("If-Match", "\"\""), 412, 412),
      (("If-None-Match", "*"), 412, 201),
      (("If-None-Match", "\"2\""), 412, 201),
      (("If-None-Match", "W/\"2\""), 412, 201),
      (("If-None-Match", "\"1\""), 200, 201),
      (("If-Match", "2"), 422, 422),
      (("If-Match", ""), 422, 422),
      (("If-Match", "*, \"2\""), 422, 422),
      (("If-None-Match", "\"2"), 422, 422),
    ] as [((String, String), Int, Int)])
  func preconditions(field: (name: String, value: String), there: Int, absent: Int) async throws {
    let app = try await TestApp.make(.inProcess)
    let (one, other) = ("\(app.path)/messages/one", "\(app.path)/messages/other")
    var value = field.value
    for version in 1...2 {
      let tag = try await app.admin.put(one, ["badge": .number(Double(version))])["etag"]
      value = value.replacing("\"\(version)\"", with: try #require(tag))
    }
    for (path, status) in [(one, there), (other, absent)] {
      let reply = try await app.admin.send(
        "PUT", path, json: ["badge": 3], fields: [(field.name, value)])
      #expect(reply.status == status)
      switch status {
      case 412: #expect(reply.problem == "version_mismatch")
      case 422: #expect(reply.faults == ["\(field.name) unknown_value"])
      default: #expect(reply.problem == nil)
      }
    }
    #expect(try await app.admin.get(one).json["version"] == (there == 200 ? 3 : 2))
  }

  @Test func ofChangesAtOnceEachHasItsVersionAndOneTheSeenOne() async throws {
    let app = try await TestApp.make(.inProcess)
    let path = "\(app.path)/messages/m"
    func put(_ fields: [(String, String)] = []) async throws -> [Reply] {
      try await withThrowingTaskGroup(of: Reply.self) { group in
        for badge in 0..<20 {
          group.addTask {
            try await app.admin.send(
              "PUT", path, json: ["badge": .number(Double(badge))], fields: fields)
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    let all = try await put()
    #expect(all.count { $0.status == 201 } == 1)
    #expect(Set(all.compactMap { $0.json["version"].whole }) == Set(1...20))
    // Each change has another badge than the last, save that of the last itself.
    let last = try #require(try await app.admin.put(path, ["badge": 99])["etag"])
    let some = try await put([("If-Match", last)])
    #expect(some.map(\.status).sorted() == [200] + Array(repeating: 412, count: 19))
  }

  @Test(
    arguments: [
      ("a", nil), ("A.b_c-9", nil), (String(repeating: "n", count: 64), nil), ("...", nil),
      (String(repeating: "n", count: 65), "invalid_name"), ("a%20b", "invalid_name"),
      ("%C3%A4", "invalid_name"), ("a%2Fb", "invalid_name"), ("a:b", "invalid_name"),
      ("%2E%2E", "invalid_name"),
    ] as [(String, String?)])
  func names(name: String, fault: String?) async throws {
    let app = try await TestApp.make(.inProcess)
    let path = "\(app.path)/messages/\(name)"
    let created = try await app.admin.put(path, Self.message)
    #expect(created.status == (fault == nil ? 201 : 422))
    #expect(created.faults == (fault.map { ["name \($0)"] } ?? []))
    #expect(try await app.admin.get(path).faults == created.faults)
    #expect(try await app.admin.delete(path).faults == created.faults)
  }

  @Test(
    arguments: [
      ("{", 400, [" malformed_json"]), ("[]", 422, [" wrong_type"]),
      (#"{"alrt": "Hi"}"#, 422, ["/alrt unknown_field"]),
      (
        #"{"alert": "Hi {who}", "badge": -1}"#, 422,
        ["/alert unknown_placeholder", "/badge out_of_range"]
      ),
      (#"{"alert": "\u0000"}"#, 422, ["/alert contains_nul"]),
      (#"{"alert": null}"#, 422, ["/alert missing_field"]),
      (#"{"alert": "Hi", "ttl": 86400000}"#, 422, ["/ttl out_of_range"]),
      (#"{"alert": "Hi", "ttl": 2592001}"#, 422, ["/ttl out_of_range"]),
      (
        #"{"alert": "Hi", "data": {"messageType": "x", "payload": {}}}"#, 422,
        ["/data/messageType invalid_name", "/data/payload invalid_name"]
      ),
    ] as [(String, Int, [String])])
  func faultyMessagesAreNotStored(body: String, status: Int, faults: [String]) async throws {
    let app = try await TestApp.make(.inProcess)
    let path = "\(app.path)/messages/m"
    let reply = try await app.admin.send("PUT", path, body: Array(body.utf8))
    #expect(reply.status == status)
    #expect(reply.faults == faults)
    #expect(try await app.admin.get(path).status == 404)
  }

  @Test func whatJSONCanSayIsKept() async throws {
    let app = try await TestApp.make(.inProcess)
    let path = "\(app.path)/messages/m"
    let body = """
      {"badge": null, "data": {"": "\\u0000/é\\ud83d\\ude00", "n": [9007199254740993, 0.1]}}
      """
    #expect(try await app.admin.send("PUT", path, body: Array(body.utf8)).status == 201)
    let kept = try await app.admin.get(path).text
    #expect(
      kept.contains(#"{"badge":null,"data":{"":"\u0000/é😀","n":[9007199254740993,0.1]}}"#))
  }

  @Test(arguments: Transport.allCases)
  func aTrialStoresNothing(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = "\(app.path)/messages/food_ready"
    let keyed: JSON = ["alert": ["body": ["key": "NOWHERE"]]]
    let trial = try await app.admin.put("\(path)?dry_run=true", keyed)
    #expect(trial.status == 200)
    #expect(trial["etag"] == nil)
    #expect(trial.json["version"] == 1)
    #expect(trial.json["warnings"][0]["code"] == "unknown_key")
    #expect(try await app.admin.get(path).status == 404)
    let broken = try await app.admin.put("\(path)?dry_run=true", ["alert": ["body": "{x}"]])
    #expect(broken.status == 422)

    let made = try await app.admin.put("\(path)?dry_run=false", keyed)
    #expect(made.status == 201)
    #expect(try await app.admin.put("\(path)?dry_run=true", Self.message).json["version"] == 2)
    #expect(try await app.admin.put("\(path)?dry_run=true", keyed).json["version"] == 1)
    let late = try await app.admin.send(
      "PUT", "\(path)?dry_run=true", json: Self.message, fields: [("If-Match", "\"0\"")])
    #expect(late.status == 412)
    #expect(try await app.admin.get(path).json == made.json)
    #expect(try await app.admin.put("\(path)?dry_run=yes", keyed).status == 422)
    #expect(try await app.admin.put("\(path)?dryrun=true", keyed).status == 422)
  }

  /// Another instance deleted it, and this one has not heard of it yet.
  @Test func anAppThatIsBeingDeletedTakesNoMessage() async throws {
    let service = try await TestService.start()
    let app = try await service.app(.inProcess)
    try await service.database.query("UPDATE app SET deleted_at = now()")
    let reply = try await app.admin.put("\(app.path)/messages/m", Self.message)
    #expect(reply.status == 404)
    #expect(reply.problem == "app_not_found")
    #expect(try await service.database.value("SELECT count(*) FROM message") == "0")
    await service.stop()
  }

  @Test(arguments: Transport.allCases)
  func messagesAreBounded(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = "\(app.path)/messages"
    let long: JSON = ["data": ["a": .string(String(repeating: "a", count: 65_536))]]
    #expect(try await app.admin.put("\(path)/long", long).problem == "body_too_large")
    try await app.service.database.query(
      """
      INSERT INTO message SELECT id, 'm' || n, 1, '{}', now(), now()
      FROM app, generate_series(1, 1000) AS n WHERE slug = '\(app.slug)'
      """)
    let refused = try await app.admin.put("\(path)/one-more", Self.message)
    #expect(refused.status == 422)
    #expect(refused.faults == ["name too_many"])
    #expect(try await app.admin.put("\(path)/m7", Self.message).status == 200)
    #expect(try await app.admin.delete("\(path)/m8").status == 204)
    #expect(try await app.admin.put("\(path)/one-more", Self.message).status == 201)
  }
}
