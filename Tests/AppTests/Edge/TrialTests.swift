import AppTesting
import HTTP
import Testing

@testable import App

/// `dry_run=true` of every deletion and replacement: the same checks, and nothing changes.
@Suite struct TrialTests {
  /// An app with one of everything that can be deleted, and what its paths name.
  private static func furnished() async throws -> (app: TestApp, names: [String: String]) {
    let app = try await TestApp.make(.inProcess, settings: ["identity_verification": "off"])
    let id = Sample.id()
    var report = Sample.fullReport()
    report["user"] = ["id": "u42"]
    #expect(try await app.sender.put(app.installation(id), report).status == 201)
    #expect(
      try await app.admin.upload(
        "\(app.path)/catalogs/1", [("fr.lproj/Localizable.strings", "\"a\" = \"b\";")]
      ).status == 201)
    #expect(
      try await app.admin.put("\(app.path)/messages/1", ["alert": ["title": "Hello"]]).status == 201
    )
    #expect(
      try await app.sender.put(
        "\(app.path)/channels/1", ["environment": "production", "type": "Delivery"]
      ).status == 201)
    let webhook = try await app.admin.post(
      "\(app.path)/webhooks", ["url": "https://hooks.example.com/"])
    let key = try await app.admin.post("\(app.path)/keys", ["kind": "sender", "label": "one"])
    return (
      app,
      [
        "installation_id": id, "user": "u42", "version": "1", "name": "1", "kind": "voip",
        "webhook_id": webhook.json["id"].string ?? "", "key_id": key.json["id"].string ?? "",
      ]
    )
  }

  private static let rows: [(operation: String, counts: JSON)] = [
    ("deleteApp", ["apps": 1, "installations": 1, "tokens": 2]),
    ("deleteInstallation", ["installations": 1, "tokens": 2]),
    ("deleteCredential", ["tokens": 1]), ("eraseUser", ["installations": 1]),
    ("deleteCatalog", ["catalogs": 1]), ("deleteMessage", ["messages": 1]),
    ("deleteChannel", ["channels": 1]), ("deleteWebhook", ["deliveries": 0, "webhooks": 1]),
    ("revokeKey", ["keys": 1]), ("closeFeedbackBreaker", ["breakers": 0]),
  ]

  /// All of them, the root keys, which are no app's, and the purge aside.
  @Test func everyDeletionHasATrial() {
    let deletions = Features.all.filter { $0.method == .delete }.map(\.operation)
    #expect(Set(deletions) == Set(Self.rows.map(\.operation)).union(["revokeRootKey"]))
  }

  @Test func nothingIsDeleted() async throws {
    let (app, names) = try await Self.furnished()
    let root = app.service.client(.inProcess, key: app.keys["root"])
    let stored = try await app.stored()
    for (operation, counts) in Self.rows {
      let route = try Route(operation, slug: app.slug, names)
      var expected = counts
      expected["dry_run"] = true
      for _ in 0..<2 {
        let reply = try await route.call(root, query: "dry_run=true")
        #expect(reply.status == 200, "\(operation): \(reply.text)")
        #expect(reply.json == expected, "\(operation)")
      }
      #expect(try await route.call(root, query: "dry_run=maybe").status == 422)
    }
    #expect(try await app.stored() == stored)
    // And then all of it is still there to be deleted, the app last.
    for (operation, _) in Self.rows.reversed() where operation != "eraseUser" {
      let route = try Route(operation, slug: app.slug, names)
      #expect(try await route.call(root, query: "dry_run=false").status == 204, "\(operation)")
    }
  }

  @Test func itsChecksAreThoseOfTheDeletion() async throws {
    let (app, names) = try await Self.furnished()
    let path = app.installation(names["installation_id"] ?? "")
    let stale = try await app.sender.send(
      "DELETE", path + "?dry_run=true", fields: [("If-Match", "\"other\"")])
    #expect(stale.status == 412)
    #expect(
      try await app.client.delete(path + "?dry_run=true").problem == "installation_claim_needed")
    #expect(
      try await app.sender.delete("\(app.path)/messages/1?dry_run=true").problem
        == "key_kind_forbidden")
    for (operation, _) in Self.rows where operation != "closeFeedbackBreaker" {
      guard operation != "deleteApp", operation != "eraseUser" else { continue }
      let route = try Route(
        operation, slug: app.slug,
        ["webhook_id": Sample.id(), "name": "none", "version": "none"])
      let reply = try await route.call(app.admin, query: "dry_run=true")
      #expect(reply.status == 404, "\(operation): \(reply.text)")
    }
  }

  @Test(arguments: Transport.allCases)
  func nothingIsReplaced(transport: Transport) async throws {
    let app = try await TestApp.make(transport, settings: ["identity_verification": "off"])
    let root = app.service.client(transport, key: app.keys["root"])
    var report = Sample.fullReport()
    report["user"] = ["id": "u42"]
    #expect(try await app.sender.put(app.installation(Sample.id()), report).status == 201)
    let (new, user) = ("/v1/apps/new-\(app.slug)", "\(app.path)/users/u42")
    let rows: [(path: String, shownAt: String, first: JSON, second: JSON)] = [
      (app.path, app.path, ["name": "Food"], ["name": "Drinks"]),
      (new, new, ["bundle_id": "com.example.a"], ["bundle_id": "com.example.b"]),
      (
        "\(app.path)/channels/a", "\(app.path)/channels/a",
        ["environment": "production", "type": "Delivery"],
        ["environment": "production", "type": "Match"]
      ),
      (
        "\(app.path)/messages/a", "\(app.path)/messages/a", ["alert": ["title": "A"]],
        ["alert": ["title": "B"]]
      ),
      ("\(user)/language", user, ["language": "fr"], ["language": "de"]),
    ]
    for (path, shownAt, first, second) in rows {
      for (stored, body) in [(nil, first), (first, second)] {
        if let stored { #expect((200...201).contains(try await root.put(path, stored).status)) }
        let before = try await root.get(shownAt)
        let tried = try await root.put("\(path)?dry_run=true", body)
        #expect(tried.status == 200 && tried["etag"] == nil && tried["location"] == nil, "\(path)")
        let after = try await root.get(shownAt)
        #expect(after.status == before.status, "\(path)")
        #expect(stored == nil || after.json == before.json, "\(path)")
      }
    }
    // The checks are those of the replacement.
    let channel = "\(app.path)/channels/a?dry_run=true"
    #expect(try await root.put(channel, ["type": "Match"]).status == 422)
    let stale = try await root.send(
      "PUT", channel, body: Array(rows[2].second.text.utf8),
      fields: [("If-Match", "\"other\""), ("Content-Type", "application/json")])
    #expect(stale.status == 412)
  }

  @Test func aRootKeyIsRevokedOnlyInEarnest() async throws {
    let service = try await TestService.shared()
    let app = try await service.app(.inProcess)
    let root = service.client(.inProcess, key: app.keys["root"])
    let made = try await root.post("/v1/keys", ["label": "one"])
    let id = try #require(made.json["id"].string)
    let path = "/v1/keys/\(id)"
    #expect(
      try await root.delete(path + "?dry_run=true").json == ["dry_run": true, "keys": 1])
    let key = service.client(.inProcess, key: made.json["key"].string)
    #expect(try await key.get("/v1/keys").status == 200)
    #expect(try await root.delete(path).status == 204)
    #expect(try await key.get("/v1/keys").status == 401)
  }
}
