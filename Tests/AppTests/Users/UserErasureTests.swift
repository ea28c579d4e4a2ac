import AppTesting
import TestSupport
import Testing

/// A person who wants to be forgotten is.
@Suite struct UserErasureTests {
  private func report(_ user: String, _ token: String = Sample.token()) -> JSON {
    var report = Sample.report(token)
    report["user"] = ["id": .string(user)]
    return report
  }

  private static let nothing: JSON = [
    "installations": 0, "tokens": 0, "history": 0, "failures": 0,
  ]

  /// Rows of an app that name an installation, or a token that one had.
  private func traces(of id: String, _ token: String, in app: TestApp) async throws -> String? {
    let owner = "installation_id = '\(id)'"
    let bytes = "token = '\\x\(token)'"
    let appID = try #require(
      try await app.service.database.value("SELECT id FROM app WHERE slug = '\(app.slug)'"))
    let counts = [
      "installation WHERE \(owner)",
      "token_owner WHERE (\(owner) OR moved_from = '\(id)' OR '\(id)' = ANY (former_owners)"
        + " OR \(bytes))",
      "token_history WHERE (\(owner) OR from_installation_id = '\(id)' OR \(bytes))",
      "registration_failure WHERE \(owner)",
    ].map { "(SELECT count(*) FROM \($0) AND app_id = \(appID))" }
    return try await app.service.database.value("SELECT \(counts.joined(separator: "||' '||"))")
  }

  @Test(arguments: Transport.allCases)
  func nothingIsLeftOfAPerson(transport: Transport) async throws {
    let (app, other) = (try await TestApp.make(transport), try await TestApp.make(transport))
    let (hers, second, his) = (Sample.id(), Sample.id(), Sample.id())
    let (old, token, sold) = (Sample.token(), Sample.token(), Sample.token())
    for app in [app, other] {
      _ = try await app.admin.put(app.installation(hers), report("ada", old))
      _ = try await app.admin.put(app.installation(hers), report("ada", token))
      _ = try await app.admin.put(app.installation(second), report("ada", sold))
      // He got her old telephone.
      _ = try await app.client.put(app.installation(his), report("bob", sold))
      _ = try await app.admin.put("\(app.path)/users/ada/language", ["language": "fr"])
      for id in [hers, his] {
        _ = try await app.client.post(
          "\(app.path)/failures",
          [
            "kind": "apns", "error": ["domain": "d", "code": 1],
            "installation_id": .string(id),
          ])
      }
      #expect(try await traces(of: hers, old, in: app) == "1 2 3 1")
      #expect(try await traces(of: second, sold, in: app) == "1 1 2 0")
    }

    let erased = try await app.admin.delete("\(app.path)/users/ada")
    #expect(erased.status == 200)
    #expect(erased.text == erased.json.text, "members are sorted")
    #expect(erased.json == ["installations": 2, "tokens": 2, "history": 4, "failures": 1])
    #expect(try await traces(of: hers, token, in: app) == "0 0 0 0")
    #expect(try await traces(of: hers, old, in: app) == "0 0 0 0")
    #expect(try await traces(of: second, Sample.token(), in: app) == "0 0 0 0")
    // What is his stays: his device, his token and how he got it, his failure.
    #expect(try await traces(of: his, sold, in: app) == "1 1 1 1")
    let device = try await app.admin.get(app.installation(his))
    #expect(device.json["credentials"]["apns"]["token"] == .string(sold))
    #expect(try await traces(of: hers, old, in: other) == "1 2 3 1")
    #expect(try await traces(of: second, sold, in: other) == "1 1 2 0")

    #expect(try await app.admin.delete("\(app.path)/users/ada").json == Self.nothing)
    #expect(try await app.admin.delete("\(app.path)/users/nobody").json == Self.nothing)
    // Who comes back is new, and chose no language.
    let back = try await app.admin.put(app.installation(hers), report("ada", token))
    #expect(back.status == 201)
    #expect(back.json["language_override"] == .null)
    #expect(
      try await other.admin.get(other.installation(hers)).json["language_override"] == "fr")
  }

  /// A first call broke off behind any of its steps; the second ends it.
  @Test(arguments: Transport.allCases)
  func anErasureThatBrokeOffIsEndedByTheNext(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let (id, token) = (Sample.id(), Sample.token())
    _ = try await app.admin.put(app.installation(id), report("ada", token))
    _ = try await app.client.post(
      "\(app.path)/failures",
      ["kind": "apns", "error": ["domain": "d", "code": 1], "installation_id": .string(id)])
    // What is left when it had only given up the tokens.
    #expect(try await app.admin.delete("\(app.installation(id))/credentials/apns").status == 204)
    let erased = try await app.admin.delete("\(app.path)/users/ada")
    #expect(erased.json == ["installations": 1, "tokens": 1, "history": 2, "failures": 1])
    #expect(try await traces(of: id, token, in: app) == "0 0 0 0")
  }

  @Test func manyDevicesGoInPortions() async throws {
    let app = try await TestApp.make(.socket)
    let device = app.installation(Sample.id())
    _ = try await app.admin.put(device, report("farm"))
    try await app.service.database.query(Self.copies(600, of: "farm", in: app.slug))
    let chosen = try await app.admin.put("\(app.path)/users/farm/language", ["language": "fr"])
    #expect(chosen.json["installations"] == 601)
    #expect(try await app.admin.get(device).json["language_override"] == "fr")
    let erased = try await app.admin.delete("\(app.path)/users/farm")
    #expect(erased.json == ["installations": 601, "tokens": 601, "history": 601, "failures": 0])
    #expect(try await app.stored() == "0 0 0 0")
  }

  /// Commands that give a person so many devices more, like the one that they have.
  static func copies(_ count: Int, of user: String, in slug: String) -> String {
    """
    CREATE TEMPORARY TABLE copy AS
      SELECT i.* FROM installation AS i JOIN app ON app.id = i.app_id
      WHERE app.slug = '\(slug)' AND user_id = '\(user)' LIMIT 1;
    CREATE TEMPORARY TABLE made AS
      SELECT app_id, environment, gen_random_uuid() AS id,
        decode(md5('\(slug)' || n), 'hex') AS token
      FROM copy, generate_series(1, \(count)) AS n;
    INSERT INTO token_owner (app_id, environment, kind, token, installation_id, registered_at)
      SELECT app_id, environment, 'apns', token, id, now() FROM made;
    INSERT INTO token_history (app_id, installation_id, at, environment, kind, token, event, source)
      SELECT app_id, id, now(), environment, 'apns', token, 'registered', 'app' FROM made;
    INSERT INTO installation SELECT (jsonb_populate_record(NULL::installation,
        to_jsonb(copy) || jsonb_build_object('installation_id', id, 'apns_token', token))).*
      FROM copy, made;
    """
  }

  /// The database plays the device: it registers behind the erasure of what was known of it.
  @Test(.onOnePostgres) func aDeviceThatRegistersInBetweenIsErasedAnew() async throws {
    let app = try await TestService.start().app(.inProcess)
    let (id, old, token) = (Sample.id(), Sample.token(), Sample.token())
    _ = try await app.admin.put(app.installation(id), report("ada", old))
    _ = try await app.client.post(
      "\(app.path)/failures",
      ["kind": "apns", "error": ["domain": "d", "code": 1], "installation_id": .string(id)])
    let names = "app_id, environment, kind, token, installation_id"
    let row = "SELECT app_id, environment, 'apns', apns_token, installation_id"
    try await app.service.database.query(
      UserLanguageTests.trigger(
        "AFTER DELETE ON token_owner",
        """
        IF OLD.token = '\\x\(token)' THEN RETURN NULL; END IF;
        UPDATE installation SET revision = revision + 1, apns_token = '\\x\(token)',
          apns_status = 'active', apns_registered_at = now();
        INSERT INTO token_owner (\(names), registered_at) \(row), now() FROM installation;
        INSERT INTO token_history (\(names), at, event, source)
          \(row), now(), 'registered', 'app' FROM installation
        """))
    let erased = try await app.admin.delete("\(app.path)/users/ada")
    #expect(erased.json == ["installations": 1, "tokens": 2, "history": 2, "failures": 1])
    #expect(try await traces(of: id, old, in: app) == "0 0 0 0")
    #expect(try await traces(of: id, token, in: app) == "0 0 0 0")
    await app.service.stop()
  }

  /// A device that registers while its person is erased is erased, or it is new: nothing older
  /// than what it shows is left of it.
  @Test(.onOnePostgres, .serialized, arguments: 1...3)
  func whoRegistersMeanwhileIsErasedOrNew(seed: UInt64) async throws {
    let app = try await TestService.start(loops: 2).app()
    let ids = (0..<5).map { _ in Sample.id() }
    let tokens = (0..<8).map { _ in Sample.token() }
    var random = SplitMix64(seed: seed)
    let turns = (0..<120).map { _ in (Int(random.next() % 7), Int(random.next() % 8)) }
    try await withThrowingTaskGroup { group in
      for worker in 0..<16 {
        group.addTask {
          for turn in turns.indices where turn % 16 == worker {
            let (device, token) = turns[turn]
            let reply =
              if device >= 5 {
                try await app.admin.delete("\(app.path)/users/ada")
              } else {
                try await app.admin.put(
                  app.installation(ids[device]), report("ada", tokens[token]))
              }
            #expect(
              [200, 201].contains(reply.status) || reply.problem == "conflict",
              "seed \(seed): \(reply.status) \(reply.text)")
          }
        }
      }
      try await group.waitForAll()
    }
    let rows = "FROM app JOIN token_history AS h ON h.app_id = app.id WHERE slug = '\(app.slug)'"
    let orphans = try await app.service.database.query(
      """
      SELECT h.installation_id, h.event \(rows) AND NOT EXISTS (
        SELECT FROM installation AS i
        WHERE (i.app_id, i.installation_id) = (h.app_id, h.installation_id))
      """)
    #expect(orphans == [], "seed \(seed)")
    let unexplained = try await app.service.database.query(
      """
      SELECT i.installation_id, (
          SELECT string_agg(h.event, ' ' ORDER BY h.id) \(rows)
            AND h.installation_id = i.installation_id AND h.token = i.apns_token)
      FROM app JOIN installation AS i ON i.app_id = app.id
      WHERE slug = '\(app.slug)' AND apns_token IS NOT NULL AND coalesce((
        SELECT h.event \(rows) AND h.installation_id = i.installation_id
          AND h.token = i.apns_token ORDER BY h.id DESC LIMIT 1), 'none')
        NOT IN ('registered', 'rotated', 'moved', 'revived')
      """)
    #expect(unexplained == [], "seed \(seed)")

    #expect(try await app.admin.delete("\(app.path)/users/ada").status == 200)
    #expect(try await app.stored() == "0 0 0 0")
    let left = try await app.service.database.value(
      """
      SELECT (SELECT count(*) \(rows)) + (
        SELECT count(*) FROM token_owner JOIN app ON app.id = app_id WHERE slug = '\(app.slug)')
      """)
    #expect(left == "0", "seed \(seed)")
    await app.service.stop()
  }
}
