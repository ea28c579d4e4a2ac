import AppTesting
import Foundation
import Testing

/// The list of installations as a stream: the export.
@Suite struct ExportTests {
  /// Fills an app with installations: those of even numbers say all there is to say, in texts that
  /// are hard to write; attributes are of a size.
  private func fill(_ app: TestApp, count: Int, attributeBytes: Int = 10) async throws {
    try await app.service.database.query(
      """
      INSERT INTO installation (app_id, installation_id, revision, platform, environment,
        apns_token, apns_status, apns_registered_at, apns_presented_at, apns_invalidated_at,
        apns_reason, voip_token, voip_status, voip_registered_at, languages, facets, locale,
        time_zone, app_version, app_build, os_version, device_model, localization, capabilities,
        "authorization", background_refresh, user_id, tags, attributes, language_override,
        reported_at, created_at, updated_at, last_seen_at)
      SELECT id, gen_random_uuid(), 1, 'ios', 'production',
        uuid_send(gen_random_uuid()), CASE WHEN full_row THEN 'invalid' ELSE 'active' END, at, at,
        CASE WHEN full_row THEN at END, CASE WHEN full_row THEN 'Unregistered' END,
        CASE WHEN full_row THEN uuid_send(gen_random_uuid()) END,
        CASE WHEN full_row THEN 'active' END, CASE WHEN full_row THEN at END,
        CASE WHEN full_row THEN ARRAY['zh-Hant-HK', 'en'] ELSE '{}' END,
        CASE WHEN full_row THEN ARRAY[id || ':language:en'] ELSE '{}' END,
        CASE WHEN full_row THEN 'en_HK' END, CASE WHEN full_row THEN 'Asia/Hong_Kong' END,
        CASE WHEN full_row THEN '3.2.0' END, CASE WHEN full_row THEN '41,2' END,
        CASE WHEN full_row THEN '17.4' END, CASE WHEN full_row THEN 'iPhone"15,2"' END, 'auto',
        CASE WHEN full_row THEN ARRAY['loc-key', 'a"b'] ELSE '{}' END,
        CASE WHEN full_row THEN '{"alert":true,"status":"authorized"}' END,
        CASE WHEN full_row THEN 'denied' END,
        CASE WHEN full_row THEN E'=u"\\n,é👍' || n END,
        CASE WHEN full_row THEN ARRAY['beta', 'a b', 'c,"d"'] ELSE '{}' END,
        CASE WHEN full_row THEN format('{"text":"%s"}', repeat('x', \(attributeBytes))) END,
        CASE WHEN full_row THEN 'fr' END, CASE WHEN full_row THEN at END, at, at, at
      FROM app, generate_series(1, \(count)) AS n,
        LATERAL (SELECT n % 2 = 0 AS full_row,
          timestamptz '2026-05-02T19:32:41Z' + make_interval(secs => n % 100) AS at) AS row
      WHERE slug = '\(app.slug)'
      """)
  }

  /// The columns of an item in CSV, by the contract.
  private func cells(of item: JSON) -> [(name: String, cell: String?)] {
    func text(_ name: String) -> (String, String?) { (name, item[name].string) }
    func json(_ name: String) -> (String, String?) {
      (name, item[name] == .null ? nil : item[name].text)
    }
    let credentials = ["apns", "voip"].flatMap { kind in
      ["token", "status", "registered_at", "invalidated_at", "reason"].map { name in
        ("\(kind)_\(name)", item["credentials"][kind][name].string)
      }
    }
    let languages = item["languages"].elements.compactMap(\.string).joined(separator: " ")
    return [text("installation_id"), text("platform"), text("environment")] + credentials
      + [("languages", languages)]
      + ["locale", "time_zone", "app_version", "app_build", "os_version", "device_model"].map(text)
      + [text("localization"), json("capabilities"), json("authorization")]
      + [
        text("background_refresh"), ("user_id", item["user"]["id"].string), json("tags"),
        json("attributes"), text("bundle_id"), json("frequent_pushes"),
        json("live_activities_allowed"), ("other_credentials", nil),
      ]
      + ["language_override", "reported_at", "created_at", "updated_at", "last_seen_at"].map(text)
  }

  private func export(
    _ app: TestApp, _ query: String = "", as type: String = "application/x-ndjson"
  ) async throws -> Reply {
    try await app.sender.send(
      "GET", "\(app.path)/installations\(query)", fields: [("Accept", type)])
  }

  /// The items of all pages as they are written, each page's behind the other.
  private func pages(_ app: TestApp, _ query: String = "") async throws -> String {
    var items: [Substring] = []
    var cursor: String?
    repeat {
      let place = cursor.map { "&cursor=\($0)" } ?? ""
      let page = try await app.sender.get("\(app.path)/installations?limit=1000\(query)\(place)")
      let end = try #require(page.text.range(of: "],\"next_cursor\":", options: .backwards))
      items.append(page.text[..<end.lowerBound].dropFirst("{\"items\":[".count))
      cursor = page.json["next_cursor"].string
    } while cursor != nil
    return items.joined(separator: ",")
  }

  @Test(arguments: Transport.allCases)
  func theExportIsAllThatThePagesShow(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    try await fill(app, count: 3000)

    let lines = try await export(app).text.split(separator: "\n")
    #expect(Set(lines).count == 3000)
    #expect(try await pages(app) == lines.joined(separator: ","))

    let table = CSVTable.parse(try await export(app, as: "text/csv").body)
    #expect(table.count == 3001)
    for (row, line) in zip(table.dropFirst(), lines) {
      let cells = cells(of: JSON(parsing: Array(line.utf8)))
      guard row == cells.map(\.cell), table[0] == cells.map(\.name) else {
        Issue.record("\(row) shows \(line)")
        break
      }
    }

    let english = try await export(app, "?language=en").text.split(separator: "\n")
    #expect(english.count == 1500)
    #expect(try await pages(app, "&language=en") == english.joined(separator: ","))
  }

  // MARK: What can break

  /// A service of its own with an export that no buffers between it and a client hold.
  private func withLargeExport(
    _ body: (TestApp, _ request: [UInt8]) async throws -> Void, as type: String
  ) async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    try await fill(app, count: 20_000, attributeBytes: 4000)
    let request = """
      GET \(app.path)/installations HTTP/1.1\r\nHost: localhost\r\nAccept: \(type)\r
      X-Request-Id: export\r\nAuthorization: Bearer \(app.keys["sender"] ?? "")\r\n\r\n
      """
    try await body(app, Array(request.utf8))
    await service.stop()
  }

  /// The processes of the server that read an export, and whether they wait for its reader.
  private func readers(_ app: TestApp) async throws -> [[String?]] {
    try await app.service.database.query(
      """
      SELECT pid, wait_event = 'ClientWrite' FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'FETCH %'
      """)
  }

  @Test(.onOnePostgres) func aClientThatGoesAwayEndsTheQuery() async throws {
    try await withLargeExport(
      { app, request in
        var wire: Wire? = try Wire(port: app.service.port)
        try wire?.send(request)
        #expect(try wire?.receiveHead().status == 200)
        // It reads no further, so the database waits.
        try await eventually { try await readers(app).contains { $0[1] == "t" } }
        wire = nil
        try await eventually { try await readers(app).isEmpty }
        #expect(try await app.sender.get("\(app.path)/installations?limit=1").status == 200)
      }, as: "application/x-ndjson")
  }

  @Test(.onOnePostgres, arguments: ["application/x-ndjson", "text/csv"])
  func anExportThatBreaksOffDoesNotLookWhole(type: String) async throws {
    try await withLargeExport(
      { app, request in
        let wire = try Wire(port: app.service.port)
        try wire.send(request)
        #expect(try wire.receiveHead().status == 200)
        try await eventually { try await readers(app).contains { $0[1] == "t" } }
        let process = try #require(try await readers(app).first?[0])
        try await app.service.database.query("SELECT pg_terminate_backend(\(process))")
        let rest = String(decoding: wire.receiveRest(), as: UTF8.self)
        // The last chunk is missing.
        #expect(!rest.hasSuffix("\r\n0\r\n\r\n"))
        let lastLine = rest.split(separator: "\n").dropLast().last ?? ""
        if type == "text/csv" {
          #expect(!lastLine.contains("database_unavailable"))
        } else {
          // It may come with the frame of a chunk of its own.
          let line = lastLine.split(separator: "\r\n").last ?? ""
          let problem = JSON(parsing: Array(line.utf8))["error"]
          #expect(problem["code"] == "database_unavailable")
          #expect(problem["status"] == 503)
          #expect(problem["request_id"] == "export")
        }
        try await eventually {
          app.service.log.records.contains {
            $0["event"] == "stream_failed" && $0["request_id"] == "export"
              && $0["code"] == "database_unavailable"
          }
        }
      }, as: type)
  }

  /// Four have a place, and of one app three, whichever keys it has: its slow readers do not keep
  /// out others.
  @Test func moreExportsThanCanBeAreTurnedAwayAtOnce() async throws {
    try await withLargeExport(
      { app, request in
        var wires: [Wire] = []
        for _ in 0..<3 {
          let wire = try Wire(port: app.service.port)
          try wire.send(request)
          #expect(try wire.receiveHead().status == 200)
          wires.append(wire)
        }
        func isTurnedAway(_ reply: Reply) -> Bool {
          reply.status == 503 && reply.problem == "overloaded" && reply["retry-after"] != nil
        }
        #expect(isTurnedAway(try await export(app)))
        let lines = [("Accept", "application/x-ndjson")]
        #expect(
          isTurnedAway(
            try await app.admin.send("GET", "\(app.path)/installations", fields: lines)))
        #expect(try await export(try await app.service.app()).status == 200)
        // Pages are another matter.
        #expect(try await app.sender.get("\(app.path)/installations?limit=1").status == 200)
        wires = []
        try await eventually { try await export(app, "?user=nobody").status == 200 }
      }, as: "application/x-ndjson")
  }
}
