import AppTesting
import JSON
import Testing

/// The life of an installation, as an app and a backend see it.
@Suite struct InstallationsTests {
  @Test(arguments: Transport.allCases)
  func aFullReportIsStoredAndShown(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let id = Sample.id()
    let report = Sample.fullReport()
    let created = try await app.client.put(app.installation(id.uppercased()), report)
    #expect(created.status == 201)
    #expect(created["content-type"] == "application/json")
    #expect(created.json["installation_id"] == .string(id))
    #expect(created.json["applied"] == true)
    #expect(created.json["ignored"] == [])

    let stored = try await app.admin.get(app.installation(id))
    #expect(stored.status == 200)
    for name in report.names where !["credentials", "user"].contains(name) {
      #expect(stored.json[name] == report[name], "\(name)")
    }
    #expect(stored.json["user"] == ["id": "u42"])
    for kind in ["apns", "voip"] {
      let credential = stored.json["credentials"][kind]
      #expect(credential["token"] == report["credentials"][kind]["token"])
      #expect(credential["status"] == "active")
      #expect(credential["registered_at"].string?.hasSuffix("Z") == true)
      #expect(credential["invalidated_at"] == .null)
      #expect(credential["reason"] == .null)
    }
    for name in ["created_at", "updated_at", "last_seen_at"] {
      #expect(stored.json[name].string?.hasSuffix("Z") == true, "\(name)")
    }
    #expect(stored.json["language_override"] == .null)
    #expect(stored.json["installation_secret"] == .absent)
    #expect(try await app.stored() == "1 2 0 0")
  }

  @Test(arguments: Transport.allCases, ["PUT", "PATCH"])
  func whatIsLeftOutStaysAndNullClears(transport: Transport, method: String) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    let report = Sample.fullReport()
    _ = try await app.admin.put(path, report)

    let changed = try await app.admin.send(method, path, json: ["app_version": "3.3.0"])
    #expect(changed.status == 200)
    #expect(changed.json["app_version"] == "3.3.0")
    #expect(changed.json["languages"] == report["languages"])
    #expect(changed.json["credentials"]["voip"]["token"] == report["credentials"]["voip"]["token"])

    let cleared = try await app.admin.send(
      method, path,
      json: [
        "credentials": ["voip": .null], "languages": .null, "locale": .null, "time_zone": .null,
        "app_version": .null, "app_build": .null, "os_version": .null, "device_model": .null,
        "localization": .null, "capabilities": .null, "authorization": .null, "user": .null,
        "tags": .null,
        "attributes": .null,
      ])
    #expect(cleared.status == 200)
    #expect(cleared.json["credentials"].names == ["apns"])
    #expect(cleared.json["localization"] == "auto")
    for name in ["languages", "capabilities", "tags"] {
      #expect(cleared.json[name] == [], "\(name)")
    }
    for name in [
      "locale", "time_zone", "app_version", "app_build", "os_version", "device_model",
      "authorization", "user", "attributes",
    ] {
      #expect(cleared.json[name] == .null, "\(name)")
    }
    #expect(try await app.stored() == "1 1 0 0")

    let withoutTokens = try await app.admin.send(method, path, json: ["credentials": .null])
    #expect(withoutTokens.json["credentials"] == [:])
    #expect(try await app.stored() == "1 0 0 0")
  }

  /// Loops bring their registrations to one of them while it has few, and keep them when it has
  /// many: either way each caller gets its own answer, and all is written.
  @Test func reportsOfManyLoopsAreAnsweredEachByItself() async throws {
    let service = try await TestService.start(loops: 6)
    let app = try await service.app()
    let secrets = try await withThrowingTaskGroup(of: String?.self) { group in
      for number in 0..<240 {
        group.addTask {
          let id = Sample.id()
          var report = Sample.report()
          report["device_model"] = .string("model \(number)")
          let created = try await app.client.put(app.installation(id), report)
          #expect(created.status == 201, "\(created.text)")
          #expect(created.json["installation_id"] == .string(id))
          #expect(created.json["device_model"] == .string("model \(number)"))
          return created.json["installation_secret"].string
        }
      }
      return try await group.reduce(into: Set<String>()) {
        if let secret = $1 { $0.insert(secret) }
      }
    }
    #expect(secrets.count == 240)
    let models = try await service.database.query(
      "SELECT count(DISTINCT device_model), count(*) FROM installation")
    #expect(models == [["240", "240"]])
    await service.stop()
  }

  @Test(arguments: Transport.allCases)
  func patchChangesOnlyWhatIsThere(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await app.client.patch(app.installation(Sample.id()), Sample.report())
    #expect(reply.status == 404)
    #expect(reply.problem == "installation_not_found")
    #expect(try await app.stored() == "0 0 0 0")
  }

  @Test(arguments: Transport.allCases)
  func aReportOlderThanTheStoredOneChangesNothing(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    let report = Sample.fullReport()
    _ = try await app.admin.put(path, report)
    let stale = try await app.admin.put(
      path, ["reported_at": "2026-05-02T19:32:40Z", "locale": "fr_FR"])
    #expect(stale.status == 200)
    #expect(stale.json["applied"] == false)
    #expect(stale.json["locale"] == "en_HK")
    let newer = try await app.admin.put(
      path, ["reported_at": "2026-05-02T21:32:42+02:00", "locale": "fr_FR"])
    #expect(newer.json["applied"] == true)
    #expect(newer.json["locale"] == "fr_FR")
    #expect(newer.json["reported_at"] == "2026-05-02T19:32:42.000Z")
  }

  @Test(arguments: Transport.allCases)
  func aReportOlderThanAnUnchangedOneChangesNothing(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    let report = Sample.fullReport()
    _ = try await app.admin.put(path, report)
    _ = try await app.admin.patch(path, ["reported_at": "2026-05-02T19:40:00Z"])
    let late = try await app.admin.put(
      path, ["reported_at": "2026-05-02T19:35:00Z", "locale": "fr_FR"])
    #expect(late.json["applied"] == false)
    #expect(late.json["locale"] == "en_HK")

    // What is made anew under the name has no reports yet.
    #expect(try await app.admin.delete(path).status == 204)
    var again = Sample.fullReport()
    again["reported_at"] = "2026-05-02T19:35:00Z"
    #expect(try await app.admin.put(path, again).status == 201)
    let newer = try await app.admin.patch(
      path, ["reported_at": "2026-05-02T19:36:00Z", "locale": "fr_FR"])
    #expect(newer.json["applied"] == true)
  }

  @Test(arguments: Transport.allCases)
  func deletedIsGoneWithItsTokens(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    _ = try await app.admin.put(path, Sample.fullReport())
    #expect(try await app.stored() == "1 2 0 0")

    let reply = try await app.admin.delete("\(path)/credentials/voip")
    #expect(reply.status == 204)
    #expect(reply.body.isEmpty)
    #expect(try await app.stored() == "1 1 0 0")
    for kind in ["voip", "fcm"] {
      let absent = try await app.admin.delete("\(path)/credentials/\(kind)")
      #expect(absent.status == 404)
      #expect(absent.problem == "credential_not_found")
    }

    #expect(try await app.admin.delete(path).status == 204)
    #expect(try await app.stored() == "0 0 0 0")
    for method in ["GET", "DELETE"] {
      let absent = try await app.admin.send(method, path)
      #expect(absent.status == 404)
      #expect(absent.problem == "installation_not_found")
    }
  }

  @Test(arguments: Transport.allCases)
  func aListIsGivenPageByPageWithoutRepetition(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    var ids: Set<String> = []
    for _ in 0..<23 {
      let id = Sample.id()
      ids.insert(id)
      #expect(try await app.admin.put(app.installation(id), Sample.report()).status == 201)
    }
    let items = try await app.sender.items("\(app.path)/installations?limit=5")
    #expect(items.count == 23)
    #expect(Set(items.compactMap(\.["installation_id"].string)) == ids)
    let whole = try await app.sender.get("\(app.path)/installations")
    #expect(whole.json["items"].elements.count == 23)
    #expect(whole.json["next_cursor"] == .null)
  }

  @Test(arguments: Transport.allCases)
  func aListIsFiltered(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let token = "AB12cd34" + Sample.token().dropFirst(8)
    let people: [(id: String, user: JSON, languages: JSON, token: String)] = [
      (Sample.id(), ["id": "ada"], ["zh-Hant-HK", "en"], token),
      (Sample.id(), ["id": "ada"], ["fr"], Sample.token()),
      (Sample.id(), .null, ["zh_Hans"], Sample.token()),
    ]
    for person in people {
      var report = Sample.report(person.token)
      report["user"] = person.user
      report["languages"] = person.languages
      #expect(try await app.admin.put(app.installation(person.id), report).status == 201)
    }
    let rows: [(query: String, found: [Int])] = [
      ("user=ada", [0, 1]), ("user=Ada", []), ("user=", []),
      ("language=zh", [0, 2]), ("language=ZH-hant", [0]), ("language=zh-Hant-HK", [0]),
      ("language=zh_Hans", [2]), ("language=ja", []), ("language=en", [0]),
      ("token=ab12cd34", [0]), ("token=\(token)", [0]), ("token=00000000", []),
      ("user=ada&language=fr", [1]), ("user=ada&language=fr&token=ab12cd34", []),
    ]
    for row in rows {
      let items = try await app.sender.items("\(app.path)/installations?limit=2&\(row.query)")
      let expected = Set(row.found.map { people[$0].id })
      #expect(Set(items.compactMap(\.["installation_id"].string)) == expected, "\(row.query)")
    }
  }

  @Test(
    arguments: Transport.allCases,
    [
      ("limit=0", "limit out_of_range"), ("limit=1001", "limit out_of_range"),
      ("limit=ten", "limit out_of_range"), ("cursor=abc", "cursor unknown_value"),
      ("token=ab12cd3", "token unknown_value"), ("token=xy12cd34", "token unknown_value"),
      ("language=!", "language invalid_language"), ("usr=ada", "usr unknown_field"),
      ("language=en@\(String(repeating: "0", count: 56))", "language too_long"),
      ("user=a&user=b", "user too_many"), ("user=%00", "user contains_nul"),
    ])
  func aFilterThatIsWrongIsRefused(
    transport: Transport, row: (query: String, fault: String)
  ) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await app.sender.get("\(app.path)/installations?\(row.query)")
    #expect(reply.status == 422)
    #expect(reply.faults == [row.fault])
  }
}
