import AppTesting
import TestSupport
import Testing

/// The language that a backend chose for a person, on whatever devices they are logged in.
@Suite struct UserLanguageTests {
  private func report(_ user: JSON) -> JSON {
    var report = Sample.report()
    report["user"] = user
    return report
  }

  @Test(arguments: Transport.allCases)
  func allDevicesGetItNowAndLater(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let ids = (0..<4).map { _ in Sample.id() }
    let path = "\(app.path)/users/ada/language"
    for (id, user) in zip(ids, [["id": "ada"], ["id": "ada"], ["id": "bob"], .null] as [JSON]) {
      #expect(try await app.admin.put(app.installation(id), report(user)).status == 201)
    }
    func overrides() async throws -> [JSON] {
      var found: [JSON] = []
      for id in ids {
        found.append(try await app.admin.get(app.installation(id)).json["language_override"])
      }
      return found
    }

    let chosen = try await app.sender.put(path, ["language": "pt-BR"])
    #expect(chosen.status == 200)
    #expect(chosen.json == ["user": "ada", "language": "pt-BR", "installations": 2])
    #expect(try await overrides() == ["pt-BR", "pt-BR", .null, .null])
    #expect(try await app.sender.put(path, ["language": "pt-BR"]).json == chosen.json)

    // A new device, one on which another logs in, and one on which she logs out.
    let later = try await app.admin.put(app.installation(Sample.id()), report(["id": "ada"]))
    #expect(later.json["language_override"] == "pt-BR")
    let login = try await app.admin.patch(app.installation(ids[3]), ["user": ["id": "ada"]])
    #expect(login.json["language_override"] == "pt-BR")
    let other = try await app.admin.patch(app.installation(ids[0]), ["user": ["id": "bob"]])
    #expect(other.json["language_override"] == .null)
    let logout = try await app.admin.patch(app.installation(ids[1]), ["user": .null])
    #expect(logout.json["language_override"] == .null)
    // Whoever stays keeps it, whatever else is reported.
    let stayed = try await app.admin.patch(
      app.installation(ids[3]), ["user": ["id": "ada"], "languages": ["de"]])
    #expect(stayed.json["language_override"] == "pt-BR")

    let cleared = try await app.admin.put(path, ["language": .null])
    #expect(cleared.text == cleared.json.text, "members are sorted")
    #expect(cleared.json == ["user": "ada", "language": .null, "installations": 2])
    #expect(try await overrides() == [.null, .null, .null, .null])
  }

  @Test(arguments: Transport.allCases)
  func anyNameOfAPersonIsOne(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let longest = String(repeating: "u", count: 256)
    for (name, escaped) in [
      ("ada@example.com", "ada@example.com"), ("é ü%", "%C3%A9%20%C3%BC%25"), ("..", "%2E%2E"),
      (longest, longest), ("😀?#", "%F0%9F%98%80%3F%23"),
    ] {
      let id = Sample.id()
      _ = try await app.admin.put(app.installation(id), report(["id": .string(name)]))
      let reply = try await app.sender.put(
        "\(app.path)/users/\(escaped)/language", ["language": "fr"])
      #expect(reply.json == ["user": .string(name), "language": "fr", "installations": 1])
      #expect(
        try await app.admin.get(app.installation(id)).json["language_override"] == "fr", "\(name)")
    }
    // The very bytes: another spelling of é is another person.
    let reply = try await app.sender.put(
      "\(app.path)/users/e%CC%81%20%C3%BC%25/language", ["language": "de"])
    #expect(reply.json["installations"] == 0)
  }

  @Test(
    arguments: Transport.allCases,
    [
      ([:], "/language missing_field"), (["language": 1], "/language wrong_type"),
      (["language": "not a tag"], "/language invalid_language"),
      (["language": ""], "/language invalid_language"),
      (["language": "fr", "lang": "de"], "/lang unknown_field"),
    ] as [(JSON, String)])
  func whatIsNoLanguageChangesNothing(transport: Transport, row: (JSON, String)) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await app.sender.put("\(app.path)/users/ada/language", row.0)
    #expect(reply.status == 422)
    #expect(reply.faults == [row.1])
    let device = try await app.admin.put(app.installation(Sample.id()), report(["id": "ada"]))
    #expect(device.json["language_override"] == .null)
  }

  @Test(arguments: Transport.allCases)
  func aNameThatIsTooLongIsNone(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = "\(app.path)/users/\(String(repeating: "u", count: 257))"
    for reply in [
      try await app.admin.put("\(path)/language", ["language": "fr"]),
      try await app.admin.delete(path),
    ] {
      #expect(reply.status == 422)
      #expect(reply.faults == ["user too_long"])
    }
  }

  @Test(arguments: Transport.allCases)
  func anotherAppsPersonOfTheNameIsAnother(transport: Transport) async throws {
    let (app, other) = (try await TestApp.make(transport), try await TestApp.make(transport))
    let id = Sample.id()
    _ = try await other.admin.put(other.installation(id), report(["id": "ada"]))
    let reply = try await app.admin.put("\(app.path)/users/ada/language", ["language": "fr"])
    #expect(reply.json["installations"] == 0)
    let report = report(["id": "ada"])
    #expect(
      try await other.admin.put(other.installation(id), report).json["language_override"] == .null)
  }

  /// The database plays the other: it chooses in the moment in which a device is written.
  @Test(.onOnePostgres) func aChoiceInTheMomentOfALoginCounts() async throws {
    let app = try await TestService.start().app(.inProcess)
    try await app.service.database.query(
      Self.trigger(
        "AFTER INSERT ON installation",
        "INSERT INTO user_language VALUES (NEW.app_id, NEW.user_id, 'fr', now())"))
    let path = app.installation(Sample.id())
    #expect(try await app.admin.put(path, report(["id": "ada"])).status == 201)
    #expect(try await app.admin.get(path).json["language_override"] == "fr")
    await app.service.stop()
  }

  @Test(.onOnePostgres) func aChoiceInTheMomentOfAnotherCounts() async throws {
    let app = try await TestService.start().app(.inProcess)
    let path = app.installation(Sample.id())
    _ = try await app.admin.put(path, report(["id": "ada"]))
    try await app.service.database.query(
      Self.trigger(
        "AFTER UPDATE ON installation", "UPDATE user_language SET language = 'de'"))
    _ = try await app.admin.put("\(app.path)/users/ada/language", ["language": "fr"])
    #expect(try await app.admin.get(path).json["language_override"] == "de")
    await app.service.stop()
  }

  /// Commands that have the database run another behind each row of an event.
  static func trigger(_ event: String, _ command: String) -> String {
    """
    CREATE FUNCTION meanwhile() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN \(command); RETURN NULL; END $$;
    CREATE TRIGGER meanwhile \(event) FOR EACH ROW EXECUTE FUNCTION meanwhile();
    """
  }

  /// Logins, logouts and choices in any order: at the end each device has what was chosen last for
  /// whoever is logged in on it.
  @Test(.serialized, arguments: 1...5)
  func whateverTheOrderTheLastChoiceStays(seed: UInt64) async throws {
    let app = try await TestService.start(loops: 2).app()
    let ids = (0..<6).map { _ in Sample.id() }
    var random = SplitMix64(seed: seed)
    let turns = (0..<160).map { _ in
      (
        isChoice: random.next() % 2 == 0, id: ids[Int(random.next() % 6)],
        user: (["ada", "bob", .null] as [JSON])[Int(random.next() % 3)],
        language: (["fr", "de", "ja", .null] as [JSON])[Int(random.next() % 4)]
      )
    }
    try await withThrowingTaskGroup { group in
      for worker in 0..<16 {
        group.addTask {
          for turn in turns.indices where turn % 16 == worker {
            let (isChoice, id, user, language) = turns[turn]
            let reply =
              if isChoice {
                try await app.sender.put(
                  "\(app.path)/users/\(user.string ?? "ada")/language", ["language": language])
              } else {
                try await app.admin.put(
                  app.installation(id),
                  [
                    "platform": "ios", "environment": "production",
                    "user": user == .null ? .null : ["id": user],
                  ])
              }
            #expect(
              [200, 201].contains(reply.status) || reply.problem == "conflict",
              "seed \(seed): \(reply.status) \(reply.text)")
          }
        }
      }
      try await group.waitForAll()
    }
    let wrong = try await app.service.database.query(
      """
      SELECT i.installation_id, i.user_id, i.language_override, l.language
      FROM app JOIN installation i ON i.app_id = app.id
        LEFT JOIN user_language l ON l.app_id = i.app_id AND l.user_id = i.user_id
      WHERE slug = '\(app.slug)' AND i.language_override IS DISTINCT FROM l.language
      """)
    #expect(wrong == [], "seed \(seed)")
    await app.service.stop()
  }
}
