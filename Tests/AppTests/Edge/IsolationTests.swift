import AppTesting
import Foundation
import Testing

@testable import App

/// An app is closed to the keys of another: nothing of it is read, nothing is changed.
@Suite struct IsolationTests {
  /// Every route with an app in its path, by operation.
  static let routes = Features.all.filter { $0.pattern.contains("{app}") }.map(\.operation)

  /// One app for all cases: as nothing changes it, it is still the same at the end.
  private static let owned = Task { try await Owned() }

  @Test(arguments: routes)
  func anotherAppsKeyFindsNothing(operation: String) async throws {
    let owned = try await Self.owned.value
    let other = try await TestApp.make(.socket)
    let there = try Route(operation, slug: owned.app.slug, owned.names)
    let nowhere = try Route(operation, slug: "no-such-app", owned.names)
    let here = try Route(operation, slug: other.slug, owned.names)
    for kind in there.kinds where kind != "root" {
      let client = other.service.client(.socket, key: other.keys[kind])
      for route in [there, nowhere] {
        let reply = try await route.call(client, owned.body(of: operation))
        #expect(reply.status == 404, "\(kind)")
        #expect(reply.problem == "app_not_found", "\(kind)")
        #expect(!reply.text.contains(owned.marker), "\(kind)")
      }
      // In its own app the same names lead nowhere either.
      let reply = try await here.call(client, owned.body(of: operation))
      #expect(reply.status < 500, "\(kind): \(reply.text)")
      #expect(!reply.text.contains(owned.marker), "\(kind)")
    }
    #expect(try await owned.app.digest() == owned.digest)
  }

  /// An app with something in every feature. What no path names bears the marker.
  private struct Owned {
    let app: TestApp
    let marker = "marker-\(UUID().uuidString.lowercased())"
    let token = Sample.token()
    let names: [String: String]
    let digest: [String]

    init() async throws {
      app = try await TestApp.make(.socket, settings: ["name": .string(marker)])
      let (id, user) = (Sample.id(), "user-\(UUID().uuidString)")
      var report = Sample.fullReport()
      report["credentials"]["apns"]["token"] = .string(token)
      report["user"] = ["id": .string(user)]
      report["tags"] = [.string(marker)]
      let failure: JSON = [
        "kind": "apns", "error": ["domain": "d", "code": 1, "message": .string(marker)],
        "installation_id": .string(id),
      ]
      let files = [(path: "en.lproj/Localizable.strings", text: "\"KEY\" = \"\(marker)\";\n")]
      let key = try await app.admin.post(
        "\(app.path)/keys", ["kind": "sender", "label": .string(marker)])
      let webhook = try await app.admin.post(
        "\(app.path)/webhooks",
        ["url": .string("https://hooks.invalid/\(marker)"), "enabled": false])
      names = [
        "webhook_id": webhook.json["id"].string ?? "", "installation_id": id, "token": token,
        "user": user, "version": "412",
        "key_id": key.json["id"].string ?? "", "name": "food_ready",
      ]
      for reply in [
        key, webhook, try await app.admin.put(app.installation(id), report),
        try await app.client.post("\(app.path)/failures", failure),
        try await app.admin.upload("\(app.path)/catalogs/412", files),
        try await app.admin.put(
          "\(app.path)/messages/food_ready", ["alert": .string(marker)]),
      ] { try #require(reply.status == 201, "\(reply.text)") }
      digest = try await app.digest()
    }

    /// A body with which the call would do something.
    func body(of operation: String) -> JSON {
      switch operation {
      case "putInstallation", "patchInstallation": Sample.report(token)
      case "render":
        [
          "message": ["alert": ["body": ["key": "KEY"]]],
          "to": ["installation": .string(names["installation_id"] ?? "")],
        ]
      case "preview": ["message": ["alert": ["body": ["key": "KEY"]]]]
      case "reportFeedback":
        [
          "results": [
            ["token": .string(token), "environment": "production", "reason": "Unregistered"]
          ]
        ]
      case "createWebhook", "patchWebhook": ["url": "https://hooks.invalid/"]
      case "replayWebhook": ["after": "now"]
      case "putMessage": ["alert": "Hi"]
      case "putChannel": ["environment": "production", "type": "Match"]
      case "reportCreatedChannel": ["channel_id": "YQ=="]
      case "createKey": ["kind": "client"]
      case "putUserLanguage": ["language": "fr"]
      case "changeTags", "changeUserTags": ["add": ["gold"]]
      case "purgeInstallations": ["stale_after_days": 1]
      case "sliceByLocalTime": ["to": ["all": true], "at": "09:00"]
      default: [:]
      }
    }
  }
}

extension TestApp {
  /// Each table with rows of the app: how many there are, and what is in them.
  fileprivate func digest() async throws -> [String] {
    let database = service.database
    let tables = try await database.query(
      """
      SELECT relname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE relkind IN ('r', 'p') AND NOT relispartition AND attname = 'app_id'
        -- Not the temporary tables of other tests.
        AND relnamespace = 'public'::regnamespace
      ORDER BY relname
      """
    ).compactMap { $0[0] }
    let digests = tables.map { table in
      """
      SELECT '\(table) ' || count(*) || ' ' || md5(string_agg(t::text, '|' ORDER BY t::text))
      FROM \(table) AS t WHERE app_id = (SELECT id FROM app WHERE slug = '\(slug)')
      HAVING count(*) > 0
      """
    }
    let app = "SELECT 'app ' || md5(t::text) FROM app AS t WHERE slug = '\(slug)'"
    return try await database.query((digests + [app]).joined(separator: " UNION ALL "))
      .compactMap { $0[0] }
  }
}
