import AppTesting
import Testing

/// Apps, as root and their admins see them.
@Suite struct AppsTests {
  @Test(arguments: Transport.allCases)
  func aNewAppHasDefaults(transport: Transport) async throws {
    let root = try await TestService.shared().client(transport)
    let slug = "new-\(Sample.id())"
    let created = try await root.put("/v1/apps/\(slug)", ["bundle_id": "com.example.App-1"])
    #expect(created.status == 201)
    for (name, value): (String, JSON) in [
      ("app", .string(slug)), ("name", .string(slug)), ("bundle_id", "com.example.App-1"),
      ("development_language", "en"), ("identity_verification", "required"),
      ("identity_secret_count", 0), ("identity_keys", []), ("stale_after_days", .null),
      ("moving", .null), ("identity_lifetime_days", 30),
      ("local_notification_key", "payload"), ("message_type_key", "messageType"),
      ("warnings", []),
    ] {
      #expect(created.json[name] == value, "\(name)")
    }
    #expect(try await root.get("/v1/apps/\(slug)").json == created.json)
  }

  @Test(arguments: Transport.allCases)
  func whatIsLeftOutStaysAndNullIsTheDefault(transport: Transport) async throws {
    let root = try await TestService.shared().client(transport)
    let path = "/v1/apps/changed-\(Sample.id())"
    _ = try await root.put(
      path,
      [
        "bundle_id": "com.example.a", "name": "Café", "development_language": "fr",
        "identity_verification": "required", "local_notification_key": "local",
        "message_type_key": "kind", "stale_after_days": 90, "identity_lifetime_days": 3650,
        "identity_secrets": [.string(Self.secret), .string(Self.secret + "é")],
      ])
    let renamed = try await root.put(path, ["name": "Bistro"])
    #expect(renamed.status == 200)
    #expect(renamed.json["name"] == "Bistro")
    #expect(renamed.json["bundle_id"] == "com.example.a")
    #expect(renamed.json["development_language"] == "fr")
    #expect(renamed.json["identity_verification"] == "required")
    #expect(renamed.json["message_type_key"] == "kind")
    #expect(renamed.json["stale_after_days"] == 90)
    #expect(renamed.json["identity_lifetime_days"] == 3650)
    #expect(renamed.json["identity_secret_count"] == 2)
    #expect(renamed.json["identity_secrets"] == .absent)
    let cleared = try await root.put(
      path,
      [
        "development_language": .null, "identity_verification": .null,
        "local_notification_key": .null,
        "message_type_key": .null, "identity_secrets": .null, "stale_after_days": .null,
        "identity_lifetime_days": .null,
      ])
    #expect(cleared.status == 200)
    #expect(cleared.json["development_language"] == "en")
    #expect(cleared.json["identity_verification"] == "required")
    #expect(cleared.json["local_notification_key"] == "payload")
    #expect(cleared.json["message_type_key"] == .null)
    #expect(cleared.json["stale_after_days"] == .null)
    #expect(cleared.json["identity_lifetime_days"] == 30)
    #expect(cleared.json["identity_secret_count"] == 0)
  }

  private static let secret = String(repeating: "s", count: 32)

  /// The client key is in every copy of the app: that anyone may name any user is said, not left
  /// out, and nobody can overlook it.
  @Test(arguments: Transport.allCases)
  func thatAnyUserIsTakenHasToBeSaid(transport: Transport) async throws {
    let service = try await TestService.start()
    let root = service.client(transport)
    func warned() -> [JSON] {
      service.log.records.filter { $0["event"] == "identity_verification_off" }
    }
    let path = "/v1/apps/open"
    #expect(try await root.put(path, ["bundle_id": "com.example.a"]).json["warnings"] == [])
    #expect(warned() == [])
    let off: JSON = ["identity_verification": "off"]
    for turn in 1...2 {
      let opened = try await root.put(path, off)
      #expect(opened.json["warnings"][0]["code"] == "identity_verification_off")
      // What is so already is not told again.
      _ = try await root.put(path, ["name": "Open"])
      #expect(warned().count == turn)
      #expect(warned().last?["level"] == "warning")
      #expect(warned().last?["apps"] == "open")
      #expect(try await root.get(path).json["warnings"] == opened.json["warnings"])
      #expect(try await root.items("/v1/apps?")[0]["warnings"] == opened.json["warnings"])
      let closed = try await root.put(path, ["identity_verification": .null])
      #expect(closed.json["identity_verification"] == "required")
      #expect(closed.json["warnings"] == [])
    }

    // An app that is so is told of at each start, and stays as it is.
    _ = try await root.put(path, off)
    await service.stop()
    let again = try await TestService.start(database: service.database)
    let started = again.log.records.filter { $0["event"] == "identity_verification_off" }
    #expect(started.count == 1)
    #expect(started.first?["apps"] == "open")
    #expect(started.first?["count"] == 1)
    let renamed = try await again.client(transport).put(path, ["name": "Still open"])
    #expect(renamed.json["identity_verification"] == "off")
    await again.stop()
  }

  /// With the client key alone nobody is somebody else.
  @Test(arguments: Transport.allCases)
  func aNewAppTakesNoUserFromAClientKey(transport: Transport) async throws {
    let service = try await TestService.shared()
    let root = service.client(transport)
    let path = "/v1/apps/closed-\(Sample.id())"
    _ = try await root.put(path, ["bundle_id": "com.example.a"])
    let key = try await root.post("\(path)/keys", ["kind": "client"]).json["key"].string
    let client = service.client(transport, key: key)
    let taken = try await client.put(
      "\(path)/installations/\(Sample.id())", Sample.fullReport())
    #expect(taken.status == 201)
    #expect(taken.json["user"] == .null)
    #expect(taken.ignored == ["/user identity_unproven"])
  }

  @Test(arguments: Transport.allCases)
  func aSecretIsNeverShown(transport: Transport) async throws {
    let root = try await TestService.shared().client(transport)
    let path = "/v1/apps/secret-\(Sample.id())"
    let secret = "never-shown-\(Sample.id())"
    let created = try await root.put(
      path, ["bundle_id": "com.example.a", "identity_secrets": [.string(secret)]])
    #expect(created.json["identity_secret_count"] == 1)
    for reply in [created, try await root.get(path), try await root.get("/v1/apps")] {
      #expect(!reply.text.contains(secret))
    }
    #expect(!root.service.log.text.contains(secret))
    let cleared = try await root.put(path, ["identity_secrets": []])
    #expect(cleared.json["identity_secret_count"] == 0)
  }

  @Test(
    arguments: Transport.allCases,
    [
      ([:], "/bundle_id missing_field"), (["bundle_id": "a b"], "/bundle_id unknown_value"),
      (["bundle_id": "a..b"], "/bundle_id unknown_value"),
      (["bundle_id": "com.example.a", "name": ""], "/name too_short"),
      (["bundle_id": "com.example.a", "bundleid": 1], "/bundleid unknown_field"),
      (
        ["bundle_id": "com.example.a", "identity_verification": "on"],
        "/identity_verification unknown_value"
      ),
      (
        ["bundle_id": "com.example.a", "development_language": "not a tag"],
        "/development_language invalid_language"
      ),
      (
        ["bundle_id": "com.example.a", "message_type_key": "aps"], "/message_type_key unknown_value"
      ),
      (
        ["bundle_id": "com.example.a", "local_notification_key": "id"],
        "/local_notification_key unknown_value"
      ),
      (
        ["bundle_id": "com.example.a", "message_type_key": "payload"],
        "/message_type_key unknown_value"
      ),
      (["bundle_id": "a", "stale_after_days": 0], "/stale_after_days out_of_range"),
      (["bundle_id": "a", "stale_after_days": 3651], "/stale_after_days out_of_range"),
      (["bundle_id": "a", "identity_lifetime_days": 0], "/identity_lifetime_days out_of_range"),
      (["bundle_id": "a", "identity_lifetime_days": 3651], "/identity_lifetime_days out_of_range"),
      (["bundle_id": "a", "identity_secrets": .string(secret)], "/identity_secrets wrong_type"),
      (["bundle_id": "a", "identity_secrets": ["x"]], "/identity_secrets/0 too_short"),
      (
        ["bundle_id": "a", "identity_secrets": [.string(String(repeating: "s", count: 257))]],
        "/identity_secrets/0 too_long"
      ),
      (
        [
          "bundle_id": "a",
          "identity_secrets": [
            .string(secret), .string(secret), .string(String(repeating: "t", count: 32)),
          ],
        ], "/identity_secrets too_many"
      ),
      (["bundle_id": "a", "identity_keys": "k"], "/identity_keys wrong_type"),
      (["bundle_id": "a", "identity_keys": ["k"]], "/identity_keys/0 wrong_type"),
      (["bundle_id": "a", "identity_keys": [[:]]], "/identity_keys/0 missing_field"),
      (
        ["bundle_id": "a", "identity_keys": [["public_key": "k", "name": "k"]]],
        "/identity_keys/0/public_key invalid_public_key /identity_keys/0/name unknown_field"
      ),
      (
        [
          "bundle_id": "a",
          "identity_keys": [["algorithm": "RS256", "jwk": SignedByKey.es256.jwk]],
        ], "/identity_keys/0/algorithm unknown_value"
      ),
      (
        ["bundle_id": "a", "identity_keys": [["algorithm": "HS256", "jwk": ["kty": "oct"]]]],
        "/identity_keys/0/algorithm unknown_value /identity_keys/0/jwk invalid_public_key"
      ),
      (
        [
          "bundle_id": "a",
          "identity_keys": [["jwk": ["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"]]],
        ], "/identity_keys/0/jwk invalid_public_key"
      ),
      (
        ["bundle_id": "a", "identity_keys": .array(Array(repeating: [:], count: 5))],
        "/identity_keys too_many"
      ),
    ] as [(JSON, String)])
  func settingsThatAreWrongMakeNoApp(transport: Transport, row: (JSON, String)) async throws {
    let root = try await TestService.shared().client(transport)
    let path = "/v1/apps/wrong-\(Sample.id())"
    let reply = try await root.put(path, row.0)
    #expect(reply.status == 422)
    #expect(reply.faults.joined(separator: " ") == row.1)
    #expect(try await root.get(path).problem == "app_not_found")
  }

  @Test(
    arguments: Transport.allCases, ["-a", "A", "a_b", "%C3%A9", String(repeating: "a", count: 65)])
  func anAppsNameIsASlug(transport: Transport, slug: String) async throws {
    let root = try await TestService.shared().client(transport)
    let reply = try await root.put("/v1/apps/\(slug)", ["bundle_id": "com.example.a"])
    #expect(reply.status == 422)
    #expect(try await root.get("/v1/apps/\(slug)").problem == "app_not_found")
  }

  @Test(arguments: Transport.allCases)
  func rootListsAllPageByPageAndAnAdminItsOwn(transport: Transport) async throws {
    let service = try await TestService.start()
    var slugs: Set<String> = []
    for number in 0..<7 {
      slugs.insert("app-\(number)")
      _ = try await service.client(transport).put(
        "/v1/apps/app-\(number)", ["bundle_id": "com.example.a"])
    }
    let items = try await service.client(transport).items("/v1/apps?limit=3")
    #expect(items.compactMap(\.["app"].string) == slugs.sorted())
    let app = try await service.app(transport)
    #expect(try await app.admin.items("/v1/apps?").map { $0["app"] } == [.string(app.slug)])
    await service.stop()
  }

  @Test(arguments: Transport.allCases)
  func aDeletedAppTakesEverythingWithIt(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let other = try await TestApp.make(transport)
    for app in [app, other] {
      _ = try await app.client.put(app.installation(Sample.id()), Sample.fullReport())
      _ = try await app.client.post(
        "\(app.path)/failures", ["kind": "apns", "error": ["domain": "d", "code": 1]])
      _ = try await app.admin.upload(
        "\(app.path)/catalogs/1", [("en.lproj/Localizable.strings", "\"a\" = \"b\";")])
      #expect(try await app.stored() == "1 2 1 1")
    }
    #expect(try await app.admin.delete(app.path).status == 204)
    #expect(try await app.admin.get(app.path).status == 401)
    #expect(try await app.service.client(transport).get(app.path).problem == "app_not_found")
    #expect(try await other.stored() == "1 2 1 1")
    try await eventually { try await app.stored() == "no app" }
    let orphans = try await app.service.database.value(
      """
      SELECT count(*) FROM (SELECT app_id FROM installation UNION SELECT app_id FROM token_owner
        UNION SELECT app_id FROM registration_failure UNION SELECT app_id FROM token_history
        UNION SELECT app_id FROM catalog
        UNION SELECT app_id FROM catalog_file UNION SELECT app_id FROM api_key) AS used
      WHERE app_id NOT IN (SELECT id FROM app)
      """)
    #expect(orphans == "0")
  }
}
