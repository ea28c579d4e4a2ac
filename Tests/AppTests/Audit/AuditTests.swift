import AppTesting
import Foundation
import Testing

@testable import App

/// What admin and root keys do is on record.
@Suite struct AuditTests {
  /// An entry in short: `operation target status kind`.
  private func summary(_ entry: JSON) -> String {
    let parts = ["operation", "target", "status", "key_kind"].map { name in
      entry[name].string ?? entry[name].whole.map(String.init) ?? "-"
    }
    return parts.joined(separator: " ")
  }

  @Test(arguments: Transport.allCases)
  func everyCallOfAnAdminIsOnRecord(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let (id, token) = (Sample.id(), Sample.token())
    let other = try await TestApp.make(transport)
    let installation = app.installation(id)
    let calls: [(Reply, String)] = [
      (try await app.admin.put(installation, Sample.report(token)), "putInstallation \(id) 201"),
      (try await app.admin.put(installation, ["platform": "tv"]), "putInstallation \(id) 422"),
      (try await app.admin.get(installation), "getInstallation \(id) 200"),
      (
        try await app.admin.delete("\(installation)/credentials/voip"),
        "deleteCredential \(id)/voip 404"
      ),
      (
        try await app.admin.get("\(app.path)/tokens/%3C\(token)%3E/history"),
        "listTokenHistory \(token.prefix(8)) 200"
      ),
      (
        try await app.admin.get("\(app.path)/tokens/\(token.dropLast())/history"),
        "listTokenHistory \(token.prefix(8)) 422"
      ),
      (
        try await app.admin.delete("\(app.path)/users/a%2Fda"),
        "eraseUser 0bee490a4d576865 200"
      ),
      (try await app.admin.get("\(app.path)/installations?limit=x"), "listInstallations - 422"),
      (try await app.admin.put(app.path, ["name": "x"]), "putApp - 403"),
      (try await app.admin.get("/v1/apps"), "listApps - 200"),
      (try await app.admin.get(other.path), "getApp - 404"),
      (try await app.admin.get("\(app.path)/audit?limit=1"), "listAudit - 200"),
    ]
    // Neither these, nor what reaches no operation.
    _ = try await app.client.put(app.installation(Sample.id()), Sample.report())
    _ = try await app.sender.get(installation)
    _ = try await app.client.get(app.path)
    _ = try await app.admin.post(installation, [:])
    _ = try await app.admin.get("\(app.path)/nothing")

    let made = [
      "putApp - 201 root", "createKey - 201 root", "createKey - 201 root", "createKey - 201 root",
    ]
    let entries = try await app.admin.items("\(app.path)/audit?")
    #expect(entries.map(summary) == (made + calls.map { "\($0.1) admin" }).reversed())
    for ((reply, _), entry) in zip(calls, entries.reversed().dropFirst(made.count)) {
      #expect(String(reply.status) == summary(entry).split(separator: " ")[2])
      #expect(entry["request_id"].string == reply["x-request-id"])
      let isForeign = entry["operation"] == "getApp"
      #expect(entry["app"] == .string(isForeign ? other.slug : app.slug))
      #expect(entry["app_id"] == entries.last?["app_id"])
      #expect(entry["at"].string?.hasSuffix("Z") == true)
    }
    #expect(
      try await app.service.database.value(
        "SELECT count(*) FROM audit_log AS a WHERE a::text LIKE '%\(token.prefix(9))%'") == "0")
    // The app that a foreign key asked for hears nothing of that key.
    #expect(try await other.admin.items("\(other.path)/audit?").map(summary) == made.reversed())
  }

  /// What a sender key is for is called for each device or notification; but what it takes out or
  /// deletes is on record, also when it may not. A new route says which it is, by its method or its
  /// `senderAudit`. The client key is everybody's.
  @Test(arguments: Transport.allCases)
  func whatASenderKeyExportsOrDeletesIsOnRecord(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    for endpoint in Features.all where endpoint.access != .open {
      let route = try Route(endpoint.operation, slug: app.slug)
      _ = try await route.call(app.sender)
      _ = try await route.call(app.client)
    }
    let entries = try await app.admin.items("\(app.path)/audit?").filter {
      $0["key_kind"] != "root" && $0["key_kind"] != "admin"
    }
    #expect(entries.allSatisfy { $0["key_kind"] == "sender" })
    #expect(
      entries.compactMap { $0["operation"].string }.sorted() == [
        "closeFeedbackBreaker", "deleteApp", "deleteCatalog", "deleteChannel", "deleteCredential",
        "deleteInstallation", "deleteMessage", "deleteWebhook", "eraseUser", "listChanges",
        "listInstallations", "purgeInstallations", "revokeKey", "revokeRootKey",
      ])
  }

  /// Anybody can make up a place to go on from.
  @Test func anExportThatBeginsInTheMiddleIsOnRecord() async throws {
    let app = try await TestApp.make(.inProcess)
    for path in ["installations?cursor=e30", "changes?after=now"] {
      for _ in 1...2 { _ = try await app.sender.get("\(app.path)/\(path)") }
    }
    let entries = try await app.admin.items("\(app.path)/audit?").map(summary)
    #expect(
      entries.filter { $0.hasSuffix("sender") } == [
        "listChanges - 200 sender", "listInstallations - 422 sender",
      ])
  }

  /// One export is one entry, however many pages it has; to look for one person is none.
  @Test(arguments: Transport.allCases)
  func anExportIsOnRecordOnce(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    for _ in 0..<3 { _ = try await app.sender.put(app.installation(Sample.id()), Sample.report()) }
    let pages = try await app.sender.items("\(app.path)/installations?limit=1&")
    #expect(pages.count == 3)
    let changes = try await app.sender.get("\(app.path)/changes?limit=1")
    let cursor = try #require(changes.json["next_cursor"].string)
    for path in [
      "installations?user=u42", "installations?token=\(Sample.token())", "changes?after=\(cursor)",
    ] {
      #expect(try await app.sender.get("\(app.path)/\(path)").status == 200)
    }
    for type in ["application/x-ndjson", "text/csv"] {
      _ = try await app.sender.send(
        "GET", "\(app.path)/installations", fields: [("Accept", type)])
    }
    let entries = try await app.admin.items("\(app.path)/audit?").map(summary)
    #expect(
      entries.filter { $0.hasSuffix("sender") } == [
        "listInstallations - 200 sender", "listInstallations - 200 sender",
        "listChanges - 200 sender", "listInstallations - 200 sender",
      ])
  }

  /// Whose key it was says little when a key has leaked: the address says more.
  @Test func anEntryAndALineOfARefusalHaveTheAddressOfTheClient() async throws {
    let networks = try #require(TrustedProxies.networks("127.0.0.0/8"))
    let service = try await TestService.start(proxies: TrustedProxies(networks: networks))
    let app = try await service.app()
    for (address, shown) in [
      ("192.0.2.60", "192.0.2.60"), ("6.6.6.6, 2001:DB8:0::7", "2001:db8::7"),
      ("::ffff:192.0.2.61", "192.0.2.61"), ("unknown", "127.0.0.1"),
    ] {
      let from = [("X-Forwarded-For", address), ("X-Request-Id", "from-\(shown.utf8.count)")]
      _ = try await app.admin.send("GET", app.path, fields: from)
      _ = try await app.sender.send("DELETE", app.installation(Sample.id()), fields: from)
      _ = try await service.client(key: "pst_admin_unknown").send("GET", app.path, fields: from)
      let entries = try await app.admin.items("\(app.path)/audit?").prefix(2)
      #expect(entries.map { $0["client"] } == [.string(shown), .string(shown)])
      let lines = service.log.records.filter { $0["client"] == .string(shown) }
      #expect(lines.map { $0["status"] } == [404, 401], "\(address)")
      #expect(lines.allSatisfy { $0["event"] == "request" })
    }
    let table = try await app.admin.send(
      "GET", "\(app.path)/audit?operation=deleteInstallation", fields: [("Accept", "text/csv")])
    #expect(
      CSVTable.parse(table.body).map(\.last) == [
        "client", "127.0.0.1", "192.0.2.61", "2001:db8::7", "192.0.2.60",
      ])
    #expect(!service.log.records.contains { $0["status"] == 200 && $0["client"] != .absent })
    await service.stop()
  }

  /// A call that comes through no connection has no address, nor has an entry from before.
  @Test func anEntryMayLackTheAddress() async throws {
    let app = try await TestApp.make(.inProcess)
    let entries = try await app.admin.items("\(app.path)/audit?")
    #expect(entries.count == 4 && entries.allSatisfy { $0["client"] == .null })
  }

  @Test(arguments: Transport.allCases)
  func theLogIsFilteredAndPaged(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let key = try await app.admin.post("\(app.path)/keys", ["kind": "admin", "label": "Ops"])
    let ops = app.service.client(transport, key: key.json["key"].string)
    _ = try await ops.get(app.path)
    _ = try await ops.get(app.installation(Sample.id()))
    let all = try await app.admin.items("\(app.path)/audit?")
    #expect(all.count == 7)
    #expect(all[0]["key_id"] == key.json["id"] && all[0]["key_label"] == "Ops")

    func found(_ query: String) async throws -> [String] {
      try await app.admin.items("\(app.path)/audit?\(query)&limit=2").map(summary)
        .filter { !$0.hasPrefix("listAudit") }
    }
    #expect(try await found("operation=createKey").count == 4)
    #expect(
      try await found("key_id=\(key.json["id"].string ?? "")&status=200") == [
        "getApp - 200 admin"
      ])
    #expect(try await found("status=404") == [summary(all[0])])

    let made = try await app.admin.items("\(app.path)/audit?operation=createKey")
    func stream(_ type: String) async throws -> Reply {
      try await app.admin.send(
        "GET", "\(app.path)/audit?operation=createKey", fields: [("Accept", type)])
    }
    let lines = try await stream("application/x-ndjson").text.split(separator: "\n")
    #expect(lines.map { JSON(parsing: Array($0.utf8)) } == made)
    let table = CSVTable.parse(try await stream("text/csv").body)
    #expect(table.map { $0[0] } == ["id"] + made.map { $0["id"].whole.map(String.init) })
    #expect(table.allSatisfy { $0.count == made[0].names.count })
    let first = all[6]["at"].string ?? ""
    #expect(try await found("until=\(first)") == [])
    #expect(try await found("since=\(first)") == all.map(summary))
    #expect(try await found("since=2100-01-01T00:00:00Z") == [])
    for query in [
      "key_id=x", "status=99", "status=ok", "since=x", "until=x", "cursor=x", "app=x", "kind=admin",
    ] {
      let reply = try await app.admin.get("\(app.path)/audit?\(query)")
      #expect(reply.problem == "invalid_input", "\(query)")
    }
  }

  @Test(arguments: Transport.allCases)
  func rootSeesAllAppsAlsoThoseThatAreGone(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let root = app.service.client(transport)
    let path = "/v1/audit?app=\(app.slug)"
    #expect(try await app.admin.delete(app.path).status == 204)
    #expect(try await root.get("\(app.path)/audit").problem == "app_not_found")
    let entries = try await root.items(path)
    #expect(
      entries.map(summary) == [
        "listAudit - 404 root", "deleteApp - 204 admin", "createKey - 201 root",
        "createKey - 201 root", "createKey - 201 root", "putApp - 201 root",
      ])
    #expect(Set(entries.dropFirst().map { $0["app_id"] }).count == 1)
    #expect(entries[0]["app_id"] == .null)
    // A later app of that name is another one, which shows.
    #expect(try await root.put(app.path, ["bundle_id": "com.example.again"]).status == 201)
    let again = try await root.items(path)
    #expect(again[0]["app_id"] != entries[1]["app_id"])
    #expect(try await root.items("\(app.path)/audit?").map(summary) == ["putApp - 201 root"])
    // What concerns no app is there, too.
    let id = UUID().uuidString
    let page = try await root.send("GET", "/v1/audit", fields: [("X-Request-Id", id)])
    #expect(page.text == page.json.text, "members are sorted")
    let newest = try await root.items("/v1/audit?operation=listAuditOfAllApps&")
    let own = newest.first { $0["request_id"] == .string(id) }
    #expect(own?["app"] == .null && own?["app_id"] == .null && own?["target"] == .null)
  }

  @Test(arguments: Transport.allCases)
  func aChangeThatCannotBeRecordedIsNotAcknowledged(transport: Transport) async throws {
    let service = try await TestService.start()
    let app = try await service.app(transport)
    try await service.database.query("ALTER TABLE audit_log RENAME TO elsewhere")
    let id = Sample.id()
    let change = try await app.admin.put(app.installation(id), Sample.report())
    #expect(change.problem == "database_unavailable")
    // It is made all the same. What was only read is answered.
    let reply = try await app.admin.get(app.installation(id))
    #expect(reply.status == 200)
    let metrics = try await app.admin.get("/metrics").text
    #expect(metrics.contains("\npostilion_audit_failures_total 2\n"))
    let line = service.log.records.first { record in
      record["event"] == "audit_failed" && record["operation"] == "getInstallation"
    }
    #expect(line?["level"] == "error")
    #expect(line?["request_id"].string == reply["x-request-id"])
    try await service.database.query("ALTER TABLE elsewhere RENAME TO audit_log")
    _ = try await app.admin.get(app.installation(id))
    #expect(try await service.database.value("SELECT count(*) FROM audit_log") == "5")
    await service.stop()
  }
}
