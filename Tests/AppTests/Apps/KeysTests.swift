import AppTesting
import EventLoop
import Glibc
import Postgres
import Synchronization
import Testing

@testable import App
@testable import Registry

/// API keys: shown once, listed without their secret, revoked for good and everywhere.
@Suite struct KeysTests {
  @Test(arguments: Transport.allCases)
  func aKeyIsShownOnceAndOnlyItsHashIsStored(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let created = try await app.admin.post(
      "\(app.path)/keys", ["kind": "sender", "label": "Backend"])
    #expect(created.status == 201)
    #expect(created.json.names == ["id", "key", "kind", "label"])
    #expect(created.text == created.json.text, "members are sorted")
    let key = try #require(created.json["key"].string)
    #expect(key.hasPrefix("pst_sender_"))
    #expect(key.count >= 43)

    let list = try await app.admin.get("\(app.path)/keys")
    #expect(!list.text.contains("pst_"))
    #expect(list.text == list.json.text, "members are sorted")
    let items = list.json["items"].elements
    #expect(items.map { $0["kind"] } == ["client", "sender", "admin", "sender"])
    #expect(items.last?["label"] == "Backend")
    #expect(items.last?["revoked_at"] == .null)
    #expect(items.allSatisfy { !$0.names.contains("key") && !$0.names.contains("hash") })
    let dump = try await app.service.database.query("SELECT api_key::text FROM api_key")
    #expect(!dump.contains { $0[0]?.contains(key.dropFirst(11)) == true })
    #expect(try await app.admin.items("\(app.path)/keys?limit=1") == items)
  }

  /// A use is written an hour after the one before, at the earliest.
  @Test func theLastUseOfAKeyIsListed() async throws {
    let start = Timestamp(microseconds: 1_796_000_000_000_000)
    let minutes = Atomic<Int64>(0)
    let service = try await TestService.start(clock: {
      start.advanced(by: .seconds(60 * minutes.load(ordering: .relaxed)))
    })
    let app = try await service.app(.inProcess)
    let context = service.service.contexts[0]
    func lastUse(of kind: JSON, after minute: Int64) async throws -> JSON {
      minutes.store(minute, ordering: .relaxed)
      _ = try await app.sender.get("\(app.path)/installations")
      await context.loop.run { await service.service.writeKeyUses(context.database) }
      let items = try await service.client(.inProcess).items("\(app.path)/keys?")
      return try #require(items.first { $0["kind"] == kind })["last_used_at"]
    }
    let first = try await lastUse(of: "sender", after: 0)
    #expect(first == .string(start.rfc3339))
    #expect(try await lastUse(of: "client", after: 1) == .null)
    #expect(try await lastUse(of: "sender", after: 59) == first)
    let later = start.advanced(by: .seconds(3600))
    #expect(try await lastUse(of: "sender", after: 60) == .string(later.rfc3339))
    let root = try await service.client(.inProcess).items("/v1/keys?")
    #expect(root.allSatisfy { $0["last_used_at"] != .null })
    await service.stop()
  }

  @Test(arguments: Transport.allCases)
  func aRevokedKeyStopsWorking(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let created = try await app.admin.post("\(app.path)/keys", ["kind": "sender"])
    let id = try #require(created.json["id"].string)
    let client = app.service.client(transport, key: created.json["key"].string)
    #expect(try await client.get("\(app.path)/installations").status == 200)
    #expect(try await app.admin.delete("\(app.path)/keys/\(id)").status == 204)
    let refused = try await client.get("\(app.path)/installations")
    #expect(refused.status == 401)
    #expect(refused.problem == "invalid_key")
    let items = try await app.admin.items("\(app.path)/keys?")
    #expect(items.first { $0["id"] == .string(id) }?["revoked_at"].string != nil)
    // Revoking it again changes nothing.
    #expect(try await app.admin.delete("\(app.path)/keys/\(id)").status == 204)
    #expect(try await app.admin.items("\(app.path)/keys?") == items)
  }

  /// A call whose answer was lost may be made again, and leaves one key.
  @Test(arguments: Transport.allCases)
  func aKeyWithAnIDIsMadeOnce(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let (id, keys) = (Sample.id(), "\(app.path)/keys")
    let body: JSON = ["id": .string(id), "kind": "sender", "label": "Backend"]
    let first = try await app.admin.post(keys, body)
    let second = try await app.admin.post(keys, body)
    #expect(first.status == 201 && second.status == 200)
    #expect(first["location"] == "\(keys)/\(id)" && second["cache-control"] == "no-store")
    let lost = app.service.client(transport, key: first.json["key"].string)
    let kept = app.service.client(transport, key: second.json["key"].string)
    #expect(try await lost.get("\(app.path)/channels").status == 401)
    #expect(try await kept.get("\(app.path)/channels").status == 200)
    let shown = try await app.admin.get("\(keys)/\(id)")
    #expect(shown.status == 200)
    #expect(
      try await app.admin.items("\(keys)?").filter { $0["id"] == .string(id) } == [shown.json])

    let root = app.service.client(transport)
    let other = try await app.service.app(transport)
    let others = [
      try await app.admin.post(keys, ["id": .string(id), "kind": "client", "label": "Backend"]),
      try await app.admin.post(keys, ["id": .string(id), "kind": "sender"]),
      try await other.admin.post("\(other.path)/keys", body),
      try await root.post("/v1/keys", ["id": .string(id), "label": "Backend"]),
    ]
    #expect(others.map(\.problem) == Array(repeating: "id_taken", count: 4))
    #expect(try await kept.get("\(app.path)/channels").status == 200)
    #expect(try await other.admin.get("\(other.path)/keys/\(id)").problem == "key_not_found")

    #expect(try await app.admin.delete("\(keys)/\(id)").status == 204)
    #expect(try await app.admin.post(keys, body).problem == "id_taken", "revoked for good")
  }

  @Test func anAppHasABoundOfKeys() async throws {
    let service = try await TestService.start()
    let app = try await service.app(.inProcess)
    let keys = "\(app.path)/keys"
    func make(_ client: Client, _ path: String) async throws -> Reply {
      try await client.post(path, path == "/v1/keys" ? ["label": "l"] : ["kind": "client"])
    }
    let root = service.client(.inProcess)
    for (client, path) in [(app.admin, keys), (root, "/v1/keys")] {
      let first = try await client.items("\(path)?").count
      for _ in first..<Int(Limits.keys) {
        #expect(try await make(client, path).status == 201)
      }
      let refused = try await make(client, path)
      #expect(refused.status == 422)
      #expect(refused.faults == [" too_many"])
      #expect(refused.json["detail"].string?.contains("at most 100 keys") == true)
      // Those that come and go leave no more behind.
      for _ in 0..<Limits.revokedKeys + 10 {
        let items = try await client.items("\(path)?limit=1000")
        let id = try #require(items.last { $0["revoked_at"] == .null }?["id"].string)
        #expect(try await client.delete("\(path)/\(id)").status == 204)
        #expect(try await make(client, path).status == 201)
      }
      #expect(try await make(client, path).status == 422)
      let items = try await client.items("\(path)?limit=1000")
      #expect(items.count == Int(Limits.keys + Limits.revokedKeys))
      #expect(items.count { $0["revoked_at"] == .null } == Int(Limits.keys))
    }
    let other = try await service.app(.inProcess)
    #expect(try await make(other.admin, "\(other.path)/keys").status == 201)
    await service.stop()
  }

  @Test func aRevokedKeyStopsWorkingOnEveryInstance() async throws {
    // Nothing but the notice of the change tells the other instance.
    try await revokeElsewhere()
  }

  /// An instance that cannot listen, as the database takes no further connection, looks by itself.
  @Test(.onOnePostgres) func aRevokedKeyStopsWorkingWhereNoticesDoNotArrive() async throws {
    try await revokeElsewhere { database in
      let session = try await ScratchSession(database)
      try await database.query(
        "UPDATE pg_database SET datallowconn = false WHERE datname = current_database()")
      try await eventually {
        try await session.query(
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE 'LISTEN%'
          """
        ).isEmpty
      }
    }
  }

  /// Nothing comes over its connection, which does not break.
  @Test(.enabled(if: ScratchCluster.isPrivate))
  func aRevokedKeyStopsWorkingWhereTheListenersServerProcessHangs() async throws {
    var stopped: [Int32] = []
    defer { for process in stopped { kill(process, SIGCONT) } }
    try await revokeElsewhere { database in
      let listeners = try await database.query(
        """
        SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%'
        """)
      #expect(listeners.count == 2)
      stopped = listeners.compactMap { $0[0].flatMap { Int32($0) } }
      for process in stopped { kill(process, SIGSTOP) }
    }
  }

  /// Revokes a key at one of two instances, and waits until the other one refuses it, too.
  /// - Parameter prepare: What is done to their database before.
  private func revokeElsewhere(
    _ prepare: (ScratchDatabase) async throws -> Void = { _ in }
  ) async throws {
    let first = try await TestService.start()
    let second = try await TestService.start(database: first.database)
    let app = try await first.app()
    let list = try await app.admin.get("\(app.path)/keys")
    let id = try #require(list.json["items"][1]["id"].string)
    let elsewhere = second.client(key: app.keys["sender"])
    let path = "\(app.path)/installations"
    try await eventually { try await elsewhere.get(path).status == 200 }
    try await prepare(first.database)
    #expect(try await app.admin.delete("\(app.path)/keys/\(id)").status == 204)
    try await eventually { try await elsewhere.get(path).status == 401 }
    await first.stop()
    await second.stop()
  }

  @Test(
    arguments: Transport.allCases,
    [
      ([:], "/kind missing_field"), (["kind": "root"], "/kind unknown_value"),
      (["kind": "owner"], "/kind unknown_value"), (["kind": 1], "/kind wrong_type"),
      (["kind": "admin", "lable": "x"], "/lable unknown_field"),
      (["kind": "admin", "label": .string(String(repeating: "l", count: 129))], "/label too_long"),
    ] as [(JSON, String)])
  func aKeyThatIsWrongIsNotMade(transport: Transport, row: (JSON, String)) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await app.admin.post("\(app.path)/keys", row.0)
    #expect(reply.status == 422)
    #expect(reply.faults == [row.1])
    #expect(try await app.admin.items("\(app.path)/keys?").count == 3)
  }

  @Test(arguments: Transport.allCases)
  func aKeyOfAnotherAppIsNotFound(transport: Transport) async throws {
    let (mine, yours) = (try await TestApp.make(transport), try await TestApp.make(transport))
    let theirs = try await yours.admin.get("\(yours.path)/keys").json["items"][0]["id"].string
    for id in [try #require(theirs), Sample.id(), "x"] {
      let reply = try await mine.admin.delete("\(mine.path)/keys/\(id)")
      #expect(reply.status == 404)
      #expect(reply.problem == "key_not_found")
    }
    #expect(
      try await yours.client.put(yours.installation(Sample.id()), Sample.report()).status == 201)
  }
}
