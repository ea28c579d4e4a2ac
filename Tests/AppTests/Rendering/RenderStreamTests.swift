import AppTesting
import TestSupport
import Testing

@testable import Registry

/// What can break while an audience is being rendered.
@Suite struct RenderStreamTests {
  /// A service of its own with an audience that no buffers between it and a client hold.
  /// The last hundred speak French.
  private func withLargeAudience(
    _ alert: String = #""Hi""#, _ body: (TestApp, _ request: [UInt8]) async throws -> Void
  ) async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    try await app.service.database.query(
      """
      INSERT INTO installation (app_id, installation_id, revision, platform, environment,
        apns_token, apns_status, apns_registered_at, languages, facets, localization, capabilities,
        tags, created_at, updated_at, last_seen_at)
      SELECT id, gen_random_uuid(), 1, 'ios', 'production', uuid_send(gen_random_uuid()), 'active',
        now, CASE WHEN n > 19900 THEN '{fr}' ELSE '{en}' END::text[], '{}', 'auto',
        '{}', '{}', now, now, now
      FROM app, generate_series(1, 20000) AS n, now() WHERE slug = '\(app.slug)'
      """)
    let filler = String(repeating: "x", count: 3000)
    let question = """
      {"message": {"alert": \(alert), "data": {"filler": "\(filler)"}}, "to": {"all": true}}
      """
    let request = """
      POST \(app.path)/render HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: render\r
      Connection: close\r
      Authorization: Bearer \(app.keys["sender"] ?? "")\r\nContent-Type: application/json\r
      Content-Length: \(question.utf8.count)\r\n\r\n\(question)
      """
    try await body(app, Array(request.utf8))
    await service.stop()
  }

  /// The processes of the server that read an audience.
  private func readers(_ app: TestApp) async throws -> [String] {
    try await app.service.database.query(
      """
      SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'FETCH %'
      """
    ).compactMap { $0[0] }
  }

  private func connections(_ app: TestApp) async throws -> Int {
    let count = try await app.service.database.value(
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
    return try #require(count.flatMap { Int($0) })
  }

  /// Starts a stream and reads so many bytes of it.
  private func start(_ app: TestApp, _ request: [UInt8], reading bytes: Int) throws -> Wire {
    let wire = try Wire(port: app.service.port)
    try wire.send(request)
    #expect(try wire.receiveHead().status == 200)
    try wire.skip(bytes)
    return wire
  }

  @Test func clientsThatGoAwayEndTheirQueries() async throws {
    try await withLargeAudience { app, request in
      let before = try await connections(app)
      var random = SplitMix64(seed: 1)
      for _ in 0..<12 {
        var wire: Wire? = try start(
          app, request, reading: Int.random(in: 0..<4_000_000, using: &random))
        #expect(try await !readers(app).isEmpty)
        withExtendedLifetime(wire) { wire = nil }
        try await eventually { try await readers(app).isEmpty }
      }
      // Each stream has one. The service may have opened others since.
      try await eventually { try await connections(app) < before + 6 }
      let summary = try await wholeStream(app, request)["summary"]
      #expect(summary["rendered"] == 20_000)
    }
  }

  @Test func aDatabaseThatGoesAwayEndsTheStreamWithAnError() async throws {
    try await withLargeAudience { app, request in
      let before = try await connections(app)
      var random = SplitMix64(seed: 2)
      for _ in 0..<12 {
        let wire = try start(app, request, reading: Int.random(in: 0..<4_000_000, using: &random))
        let process = try #require(try await readers(app).first)
        try await app.service.database.query("SELECT pg_terminate_backend(\(process))")
        let rest = String(decoding: wire.receiveRest(), as: UTF8.self)
        // The last chunk is missing, and the last line says why.
        #expect(!rest.hasSuffix("\r\n0\r\n\r\n"))
        let line = rest.utf8.split(separator: UInt8(ascii: "\n")).last {
          $0.starts(with: "{\"error\":".utf8)
        }
        let problem = JSON(parsing: Array(line ?? ""[...].utf8))["error"]
        #expect(problem["code"] == "database_unavailable")
        #expect(problem["request_id"] == "render")
        #expect(!rest.contains("\"summary\""))
        try await eventually { try await readers(app).isEmpty }
      }
      // Each stream has one. The service may have opened others since.
      try await eventually { try await connections(app) < before + 6 }
      #expect(try await wholeStream(app, request)["summary"]["rendered"] == 20_000)
    }
  }

  @Test func allGetTheTextsOfOneCatalog() async throws {
    func files(_ text: String) -> [(path: String, text: String)] {
      ["en", "fr"].map { ("\($0).lproj/Localizable.strings", "T = \"\(text) \($0)\";") }
    }
    try await withLargeAudience(#"{"key": "T", "catalog": "server"}"#) { app, request in
      let path = "\(app.path)/catalogs/server"
      #expect(try await app.admin.upload(path, files("old")).status == 201)
      // It is held back before it comes to the French.
      let wire = try start(app, request, reading: 1000)
      #expect(try await app.admin.upload(path, files("new")).status == 200)
      let rest = String(decoding: wire.receiveRest(), as: UTF8.self)
      let (isOld, isNew) = (rest.contains("old fr"), rest.contains("new"))
      #expect(isOld && !isNew)
    }
  }

  /// The last line of a stream that is read to its end.
  private func wholeStream(_ app: TestApp, _ request: [UInt8]) async throws -> JSON {
    let wire = try Wire(port: app.service.port)
    try wire.send(request)
    let lines = try wire.receive().body.dropLast()
    let start = lines.lastIndex(of: UInt8(ascii: "\n")) ?? lines.startIndex
    return JSON(parsing: Array(lines[start...]))
  }
}
