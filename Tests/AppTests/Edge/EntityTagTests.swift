import AppTesting
import Postgres
import Registry
import Testing

/// Whatever is stored under a path has tags: for a caller that changes what it has seen, and for
/// one that has read it already.
@Suite struct EntityTagTests {
  enum Thing: String, CaseIterable, Sendable { case app, installation, catalog, message }

  /// The path of a thing, and how to call it.
  struct Place {
    let thing: Thing
    let path: String
    var client: Client

    init(_ thing: Thing, _ app: TestApp) {
      self.thing = thing
      client = app.admin
      client.key = TestService.rootKey
      path =
        switch thing {
        case .app: "\(app.path)-2"
        case .installation: app.installation(Sample.id())
        case .catalog: "\(app.path)/catalogs/412"
        case .message: "\(app.path)/messages/ready"
        }
    }

    /// Brings it into one of its states.
    func put(_ state: Int, _ field: (String, String)? = nil) async throws -> Reply {
      let fields = field.map { [$0] } ?? []
      let json: JSON
      switch thing {
      case .app: json = ["bundle_id": "com.example.food", "name": .string("\(state)")]
      case .installation:
        json = ["platform": "ios", "environment": "sandbox", "tags": [.string("\(state)")]]
      case .catalog:
        return try await client.upload(
          path, [("en.lproj/A.strings", "\"key\" = \"\(state)\";")], fields: fields)
      case .message: json = ["badge": .number(Double(state))]
      }
      return try await client.send("PUT", path, json: json, fields: fields)
    }

    /// Reads or deletes it.
    func send(_ method: String, _ name: String, _ value: String) async throws -> Reply {
      try await client.send(method, path, fields: [(name, value)])
    }
  }

  @Test(arguments: Transport.allCases, Thing.allCases)
  func everyStateHasItsTag(transport: Transport, thing: Thing) async throws {
    let place = Place(thing, try await TestApp.make(transport))
    #expect(try await place.put(1, ("If-Match", "*")).problem == "version_mismatch")
    let created = try await place.put(1, ("If-None-Match", "*"))
    #expect(created.status == 201)
    #expect(created["location"] == place.path)
    let first = try #require(created["etag"])
    #expect(try await place.send("GET", "Accept", "*/*")["etag"] == first)

    #expect(try await place.put(2, ("If-None-Match", "*")).status == 412)
    let changed = try await place.put(2, ("If-Match", "\"x\", \(first)"))
    #expect(changed.status == 200)
    #expect(changed["location"] == nil)
    let second = try #require(changed["etag"])
    let late = try await place.put(3, ("If-Match", first))
    #expect(late.status == 412)
    #expect(late.problem == "version_mismatch")
    #expect(late.json["detail"].string?.contains(second) == true)

    #expect(try await place.send("DELETE", "If-Match", first).status == 412)
    #expect(try await place.send("DELETE", "If-Match", second).status == 204)
    #expect(try await place.send("DELETE", "If-Match", second).status == 404)
    let again = try await place.put(1)
    #expect(again.status == 201)
    #expect(Set([first, second, again["etag"]]).count == 3)
  }

  /// Neither by calls of one millisecond nor by an import that says when it was made.
  @Test func anInstallationThatIsMadeAnewHasNoFormerTag() async throws {
    let time = Timestamp(microseconds: 1_700_000_000_000_000)
    let service = try await TestService.start(clock: { time })
    let app = try await service.app()
    let id = Sample.id()
    let path = app.installation(id)
    let record: JSON = [
      "installation_id": .string(id), "platform": "ios", "environment": "production",
      "created_at": .string(time.rfc3339), "updated_at": .string(time.rfc3339),
    ]
    var tags: [String] = []
    for number in 0..<4 {
      if number.isMultiple(of: 2) {
        #expect(try await app.admin.put(path, Sample.report()).status == 201)
      } else {
        let made = try await app.admin.send(
          "POST", "\(app.path)/installations/import", body: Array("\(record.text)\n".utf8))
        #expect(made.json["accepted"].whole == 1)
      }
      for former in tags {
        #expect(
          try await app.admin.send("DELETE", path, fields: [("If-Match", former)]).status == 412)
      }
      tags.append(try #require(try await app.admin.get(path)["etag"]))
      #expect(try await app.admin.delete(path).status == 204)
    }
    #expect(Set(tags).count == 4)
    await service.stop()
  }

  @Test(arguments: Transport.allCases, Thing.allCases)
  func whoHasAStateIsNotSentItAgain(transport: Transport, thing: Thing) async throws {
    let place = Place(thing, try await TestApp.make(transport))
    let tag = try #require(try await place.put(1)["etag"])
    for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
      let reply = try await place.send("GET", "If-None-Match", known)
      #expect(reply.status == 304, "\(known)")
      #expect(reply["etag"] == tag)
      #expect(reply.body.isEmpty)
    }
    #expect(try await place.send("GET", "If-None-Match", "\"-\"").status == 200)
    #expect(try await place.send("GET", "If-Match", "\"-\"").status == 412)
    #expect(try await place.send("GET", "If-None-Match", "x").status == 422)
    _ = try await place.put(2)
    #expect(try await place.send("GET", "If-None-Match", tag).status == 200)
  }

  /// Through the loops of two instances, so that no queue puts them in order.
  @Test(arguments: Thing.allCases)
  func ofChangesAtOnceOneFindsTheSeenState(thing: Thing) async throws {
    let first = try await TestService.start(loops: 2)
    let app = try await first.app()
    let second = try await TestService.start(database: first.database, loops: 2)
    let place = Place(thing, app)
    var other = place
    other.client = second.client()
    let places = [place, other]
    func put(_ states: ClosedRange<Int>, _ field: (String, String)) async throws -> [Int] {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for state in states {
          group.addTask { try await places[state % 2].put(state, field).status }
        }
        return try await group.reduce(into: []) { $0.append($1) }.sorted()
      }
    }
    let refused = Array(repeating: 412, count: 15)
    #expect(try await put(1...16, ("If-None-Match", "*")) == [201] + refused)
    let tag = try #require(try await place.send("GET", "Accept", "*/*")["etag"])
    #expect(try await put(17...32, ("If-Match", tag)) == [200] + refused)
    await first.stop()
    await second.stop()
  }

  /// A weak tag says that two states mean the same, not that they are the same: it is none to
  /// change something by (RFC 9110, section 13.1.1).
  @Test(arguments: Transport.allCases, Thing.allCases)
  func aWeakTagIsNoneToChangeBy(transport: Transport, thing: Thing) async throws {
    let place = Place(thing, try await TestApp.make(transport))
    let tag = try #require(try await place.put(1)["etag"])
    for weak in ["W/\(tag)", "\"x\", W/\(tag)"] {
      #expect(try await place.put(2, ("If-Match", weak)).status == 412, "\(weak)")
      #expect(try await place.send("GET", "If-Match", weak).status == 412, "\(weak)")
      #expect(try await place.send("DELETE", "If-Match", weak).status == 412, "\(weak)")
    }
    for wrong in [String(tag.dropLast()), "w/\(tag)", "3", "*, \(tag)", "", "\"a b\", \(tag)"] {
      #expect(try await place.put(2, ("If-Match", wrong)).faults == ["If-Match unknown_value"])
    }
    #expect(try await place.put(2, ("If-Match", "W/\"x\",\(tag)")).status == 200)
  }

  /// Every call that changes an installation compares it with the state that was seen.
  @Test(arguments: Transport.allCases)
  func anInstallationIsChangedInTheSeenStateAlone(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let (id, absent) = (Sample.id(), app.installation(Sample.id()))
    let path = app.installation(id)
    let changes: [(method: String, path: String, json: JSON?)] = [
      ("PUT", "", ["locale": "fr"]), ("PATCH", "", ["locale": "de"]),
      ("POST", "/tags", ["add": ["a"]]), ("POST", "/tags", ["add": ["a"]]),
      ("DELETE", "/credentials/apns", nil), ("DELETE", "", nil),
    ]
    func send(_ number: Int, to path: String, _ match: String) async throws -> Reply {
      let change = changes[number]
      let fields = [("If-Match", match)]
      guard let json = change.json else {
        return try await app.sender.send(change.method, path + change.path, fields: fields)
      }
      return try await app.sender.send(
        change.method, path + change.path, json: json, fields: fields)
    }
    var seen = try #require(try await app.sender.put(path, Sample.report())["etag"])
    for number in changes.indices {
      // What is not there is not there, whatever state was seen; only PUT could make it.
      let nowhere = try await send(number, to: absent, seen)
      #expect(nowhere.status == (changes[number].method == "PUT" ? 412 : 404), "\(number)")
      for other in ["\"x\"", "W/\(seen)"] {
        let refused = try await send(number, to: path, other)
        #expect(refused.problem == "version_mismatch", "\(number)")
        #expect(refused.json["detail"].string?.contains(seen) == true)
        #expect(try await app.admin.get(path)["etag"] == seen, "\(number)")
      }
      let match = number % 2 == 0 ? "\"x\", \(seen)" : "*"
      #expect((200...204).contains(try await send(number, to: path, match).status), "\(number)")
      if number < changes.count - 1 {
        seen = try #require(try await app.admin.get(path)["etag"])
      }
    }
    #expect(try await app.stored() == "0 0 0 0")
  }

  /// Through two instances: of all that saw the same state, one changes it.
  @Test func ofTagsAddedAtOnceOneFindsTheSeenState() async throws {
    let first = try await TestService.start(loops: 2)
    let app = try await first.app()
    let second = try await TestService.start(database: first.database, loops: 2)
    let clients = [app.sender, second.client(key: app.keys["sender"])]
    let path = app.installation(Sample.id())
    let seen = try #require(try await app.sender.put(path, Sample.report())["etag"])
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 1...16 {
        group.addTask {
          try await clients[number % 2].send(
            "POST", "\(path)/tags", json: ["add": ["t\(number)"]], fields: [("If-Match", seen)]
          ).status
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }.sorted()
    }
    #expect(statuses == [200] + Array(repeating: 412, count: 15))
    #expect(try await app.admin.get(path).json["tags"].elements.count == 1)
    await first.stop()
    await second.stop()
  }

  @Test(arguments: Transport.allCases)
  func secretsAreKeptByNoCache(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    let created = try await app.client.put(path, Sample.report())
    #expect(created["cache-control"] == "no-store")
    #expect(created["location"] == path)
    let read = try await app.admin.get(path)
    #expect(read["cache-control"] == nil)
    let key = try await app.admin.post("\(app.path)/keys", ["kind": "sender"])
    #expect(key["cache-control"] == "no-store")
    #expect(key["location"] == "\(app.path)/keys/\(key.json["id"].string ?? "?")")
    let revoked = try await app.admin.delete(try #require(key["location"]))
    #expect(revoked.status == 204)
  }

  @Test(arguments: Transport.allCases)
  func aPatchIsAMergePatch(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    _ = try await app.admin.put(path, Sample.report())
    for (type, status) in [
      ("application/merge-patch+json", 200), ("application/json", 200),
      ("application/json-patch+json", 415),
    ] {
      let reply = try await app.admin.send(
        "PATCH", path, body: Array(#"{"locale": "fr_CA"}"#.utf8), fields: [("Content-Type", type)])
      #expect(reply.status == status, "\(type)")
      let accepted = "application/merge-patch+json, application/json"
      #expect(reply["accept-patch"] == (status == 415 ? accepted : nil))
    }
    let put = try await app.admin.send(
      "PUT", path, body: Array("{}".utf8),
      fields: [("Content-Type", "application/merge-patch+json")])
    #expect(put.status == 415)
  }
}
