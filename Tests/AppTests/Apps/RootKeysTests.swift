import App
import AppTesting
import Testing

/// Root keys: made for people and machines, told apart by their labels, revoked one by one.
@Suite struct RootKeysTests {
  private static let other = "pst_root_another-key-for-tests"

  @Test(arguments: Transport.allCases)
  func aRootKeyIsMadeListedAndRevoked(transport: Transport) async throws {
    let service = try await TestService.start()
    let root = service.client(transport)
    let created = try await root.post("/v1/keys", ["label": "Ada"])
    #expect(created.status == 201)
    #expect(created.json.names == ["id", "key", "kind", "label"])
    #expect(created.json["kind"] == "root")
    let key = try #require(created.json["key"].string)
    #expect(key.hasPrefix("pst_root_"))
    let id = try #require(created.json["id"].string)

    let ada = service.client(transport, key: key)
    let list = try await ada.get("/v1/keys")
    #expect(!list.text.contains("pst_"))
    #expect(list.json["items"].elements.map { $0["label"] } == ["configured", "Ada"])
    #expect(try await ada.get("/v1/keys/\(id)").json == list.json["items"][1])
    #expect(try await root.items("/v1/keys?limit=1") == list.json["items"].elements)

    #expect(try await root.delete("/v1/keys/\(id)").status == 204)
    #expect(try await ada.get("/v1/keys").problem == "invalid_key")
    let items = try await root.items("/v1/keys?")
    #expect(items.map { $0["revoked_at"].string == nil } == [true, false])
    // Revoking it again changes nothing.
    #expect(try await root.delete("/v1/keys/\(id)").status == 204)
    #expect(try await root.items("/v1/keys?") == items)

    let entries = try await service.database.query(
      "SELECT concat_ws(' ', operation, target, status, key_label) FROM audit_log ORDER BY at, id")
    let shown = entries.compactMap { $0[0] }
    #expect(shown.contains("createRootKey 201 configured"))
    #expect(shown.contains("listRootKeys 200 Ada"))
    #expect(shown.contains("revokeRootKey \(id) 204 configured"))
    await service.stop()
  }

  @Test(arguments: Transport.allCases)
  func theLastRootKeyStays(transport: Transport) async throws {
    let service = try await TestService.start()
    let root = service.client(transport)
    let first = try #require(try await root.items("/v1/keys?").first?["id"].string)
    let refused = try await root.delete("/v1/keys/\(first)")
    #expect(refused.status == 409)
    #expect(refused.problem == "last_root_key")

    // Of two that revoke each other at once, one is the last.
    let created = try await root.post("/v1/keys", ["label": "second"]).json
    let second = service.client(transport, key: created["key"].string)
    async let one = root.delete("/v1/keys/\(created["id"].string ?? "")")
    async let two = second.delete("/v1/keys/\(first)")
    let statuses = [try await one.status, try await two.status].sorted()
    #expect(statuses == [204, 409] || statuses == [204, 401])
    #expect(try await root.get("/v1/keys").status + second.get("/v1/keys").status == 200 + 401)
    await service.stop()
  }

  @Test func aRevokedRootKeyStopsWorkingOnEveryInstance() async throws {
    let first = try await TestService.start()
    let second = try await TestService.start(database: first.database)
    let created = try await first.client().post("/v1/keys", ["label": "short-lived"]).json
    let elsewhere = second.client(key: created["key"].string)
    try await eventually { try await elsewhere.get("/v1/apps").status == 200 }
    // A key may revoke itself.
    let id = try #require(created["id"].string)
    let itself = first.client(key: created["key"].string)
    #expect(try await itself.delete("/v1/keys/\(id)").status == 204)
    try await eventually { try await elsewhere.get("/v1/apps").status == 401 }
    await first.stop()
    await second.stop()
  }

  @Test func anotherConfiguredKeyRetiresTheEarlierOne() async throws {
    let first = try await TestService.start()
    let made = try await first.client().post("/v1/keys", ["label": "stays"]).json["key"].string
    let second = try await TestService.start(database: first.database, rootKey: Self.other)
    for service in [first, second] {
      try await eventually { try await service.client().get("/v1/apps").status == 401 }
      for key in [made, Self.other] {
        #expect(try await service.client(key: key).get("/v1/apps").status == 200)
      }
    }
    let retired = second.log.records.first { $0["event"] == "root_keys_retired" }
    #expect(retired?["count"] == 1)
    // The same key again retires nothing; the earlier one is in use again once it is configured.
    let third = try await TestService.start(database: first.database, rootKey: Self.other)
    #expect(!third.log.text.contains("root_keys_retired"))
    #expect(!third.log.text.contains("root_key_revived"))
    let fourth = try await TestService.start(database: first.database)
    #expect(try await fourth.client().get("/v1/apps").status == 200)
    #expect(try await fourth.client(key: Self.other).get("/v1/apps").status == 401)
    #expect(try await fourth.client(key: made).get("/v1/apps").status == 200)
    let revived = fourth.log.records.first { $0["event"] == "root_key_revived" }
    let configured = try await fourth.client().items("/v1/keys?").first
    #expect(revived?["level"] == "warning")
    #expect(revived?["key_id"] == configured?["id"])
    for service in [first, second, third, fourth] { await service.stop() }
  }

  /// Also a key that another one has replaced already.
  @Test func aKeyThatACallRevokedIsNeverInUseAgain() async throws {
    let first = try await TestService.start()
    let made = try await first.client().post("/v1/keys", ["label": "stays"]).json["key"].string
    let second = try await TestService.start(database: first.database, rootKey: Self.other)
    let root = second.client(key: made)
    let items = try await root.items("/v1/keys?").filter { $0["label"] == "configured" }
    #expect(items.map { $0["revoked_at"].string == nil } == [false, true])
    for item in items {
      #expect(try await root.delete("/v1/keys/\(item["id"].string ?? "")").status == 204)
    }
    let revoked = "SELECT concat_ws(' ', label, revoked_at, origin) FROM api_key ORDER BY id"
    let before = try await first.database.query(revoked)
    for key in [TestService.rootKey, Self.other] {
      let error = await #expect(throws: Service.StartFailure.self) {
        try await TestService.start(database: first.database, rootKey: key)
      }
      #expect(error?.description.contains("set another one.") == true)
      #expect(try await second.client(key: key).get("/v1/apps").status == 401)
    }
    #expect(try await first.database.query(revoked) == before)
    for service in [first, second] { await service.stop() }
  }

  @Test func theKeyOfTheVeryFirstStartStandsInForTheConfiguredOne() async throws {
    let first = try await TestService.start(rootKey: "")
    let key = try #require(first.firstRootKey)
    #expect(try await first.client(key: key).get("/v1/apps").status == 200)
    let second = try await TestService.start(database: first.database, rootKey: "")
    #expect(second.firstRootKey == nil)
    #expect(try await second.client(key: key).get("/v1/apps").status == 200)
    let third = try await TestService.start(database: first.database)
    #expect(try await third.client(key: key).get("/v1/apps").status == 401)
    #expect(try await third.client().get("/v1/apps").status == 200)
    for service in [first, second, third] { await service.stop() }
  }

  @Test(
    arguments: Transport.allCases,
    [
      ([:], "/label missing_field"), (["label": ""], "/label too_short"),
      (["label": 1], "/label wrong_type"), (["label": "x", "kind": "root"], "/kind unknown_field"),
      (["label": .string(String(repeating: "l", count: 129))], "/label too_long"),
    ] as [(JSON, String)])
  func aRootKeyThatIsWrongIsNotMade(transport: Transport, row: (JSON, String)) async throws {
    let reply = try await TestService.shared().client(transport).post("/v1/keys", row.0)
    #expect(reply.status == 422)
    #expect(reply.faults == [row.1])
  }

  @Test(arguments: Transport.allCases)
  func aKeyOfAnAppIsNoRootKey(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let id = try await app.admin.get("\(app.path)/keys").json["items"][0]["id"].string
    for id in [try #require(id), Sample.id(), "x"] {
      let reply = try await app.service.client(transport).delete("/v1/keys/\(id)")
      #expect(reply.status == 404)
      #expect(reply.problem == "key_not_found")
    }
    #expect(try await app.admin.get("/v1/keys").problem == "key_kind_forbidden")
    #expect(try await app.client.put(app.installation(Sample.id()), Sample.report()).status == 201)
  }
}
