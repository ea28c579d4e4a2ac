import AppTesting
import EventLoop
import Postgres
import Telemetry
import Testing

@testable import App

/// Changes that are told as they happen.
@Suite struct ChangeStreamTests {
  /// Opens a stream with the sender's key.
  private func open(
    _ app: TestApp, _ query: String, _ accept: String, key: String = "sender",
    fields: String = ""
  ) throws -> Wire {
    let wire = try Wire(port: app.service.port)
    try wire.send(
      Array(
        """
        GET \(app.path)/changes?\(query) HTTP/1.1\r\nHost: localhost\r\nAccept: \(accept)\r
        Authorization: Bearer \(app.keys[key] ?? "")\r\nX-Request-Id: feed\r\n\(fields)\r\n
        """.utf8))
    return wire
  }

  /// The next lines of a stream until one is there that is looked for.
  private func lines(
    _ wire: Wire, until isLast: (String) -> Bool
  ) throws -> [String] {
    var text = ""
    while true {
      guard let piece = try wire.receiveChunk() else { return lines(of: text) }
      text += String(decoding: piece, as: UTF8.self)
      if text.hasSuffix("\n"), lines(of: text).contains(where: isLast) { return lines(of: text) }
    }
  }

  private func lines(of text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
  }

  private func json(_ line: String) -> JSON { JSON(parsing: Array(line.utf8)) }

  @Test func whoFollowsIsToldAtOnce() async throws {
    let app = try await TestApp.make(.socket)
    let (before, after) = (Sample.id(), Sample.id())
    _ = try await app.admin.put(app.installation(before), Sample.report())
    try await untilAllIsTold(app)
    let wire = try open(app, "follow=true", "application/x-ndjson")
    let head = try wire.receiveHead()
    #expect(head.status == 200)
    #expect(head["content-type"] == "application/x-ndjson")
    #expect(head["cache-control"] == "no-store")
    let first = try lines(wire) { $0.contains("heartbeat") }
    #expect(json(first[0])["event"] == "registered")
    #expect(json(first[0])["installation_id"] == .string(before))
    #expect(json(first[1])["heartbeat"].string != nil)
    #expect(json(first[1]).names == ["cursor", "heartbeat"])

    _ = try await app.admin.put(app.installation(after), Sample.report())
    let next = try lines(wire) { $0.contains(after) }
    let change = json(next.first { $0.contains(after) } ?? "")
    #expect(change["event"] == "registered")
    // Who comes back with its cursor misses nothing, and reads nothing twice.
    let cursor = json(first[1])["cursor"].string ?? ""
    let page = try await app.sender.get("\(app.path)/changes?after=\(cursor)")
    #expect(page.json["items"] == [change])
  }

  @Test func aKeyThatIsRevokedIsToldNothingMore() async throws {
    let app = try await TestApp.make(.socket)
    let wire = try open(app, "follow=true&after=now", "application/x-ndjson")
    #expect(try wire.receiveHead().status == 200)
    _ = try lines(wire) { $0.contains("heartbeat") }
    let keys = try await app.admin.get("\(app.path)/keys").json["items"].elements
    let key = try #require(keys.first { $0["kind"] == "sender" }?["id"].string)
    #expect(try await app.admin.delete("\(app.path)/keys/\(key)").status == 204)
    let id = Sample.id()
    _ = try await app.admin.put(app.installation(id), Sample.report())
    let rest = try lines(wire) { $0.contains("error") }
    let error = try #require(rest.first { $0.contains("error") })
    #expect(json(error)["error"]["code"] == "invalid_key")
    #expect(!rest.contains { $0.contains(id) })
  }

  @Test func metricsTellHowManyFollow() async throws {
    let service = try await TestService.start(loops: 1)
    let app = try await service.app()
    let name = "postilion_change_followers "
    func followers() -> String? {
      let text = String(
        decoding: service.service.shared.observation.metrics.render(), as: UTF8.self)
      return text.split(separator: "\n").first { $0.hasPrefix(name) }
        .map { String($0.dropFirst(name.count)) }
    }
    #expect(followers() == "0")
    var wire: Wire? = try open(app, "follow=true", "application/x-ndjson")
    #expect(try wire?.receiveHead().status == 200)
    #expect(followers() == "1")
    wire = nil
    try await eventually { followers() == "0" }
  }

  @Test func browsersUnderstandTheEvents() async throws {
    let app = try await TestApp.make(.socket)
    let (first, second) = (Sample.id(), Sample.id())
    for id in [first, second] {
      _ = try await app.admin.put(app.installation(id), Sample.report())
    }
    let items = try await allChanges(of: app)
    let cursors = items.compactMap { $0["cursor"].string }
    let wire = try open(
      app, "after=now", "text/event-stream", fields: "Last-Event-ID: \(cursors[0])\r\n")
    #expect(try wire.receiveHead()["content-type"] == "text/event-stream")
    let lines = try lines(wire) { $0 == ": heartbeat" }
    #expect(lines.prefix(3) == ["id: \(cursors[1])", "data: \(items[1].text)", ""])
    #expect(lines[3] == ": heartbeat")
    #expect(lines[4].hasPrefix("id: "))
    #expect(lines.suffix(2) == ["", ""])
  }

  @Test func linesThatDoNotFollowEndWithTheLastChange() async throws {
    let app = try await TestApp.make(.inProcess)
    for _ in 0..<3 {
      _ = try await app.admin.put(app.installation(Sample.id()), Sample.report())
    }
    let items = try await allChanges(of: app)
    let reply = try await app.sender.send(
      "GET", "\(app.path)/changes", fields: [("Accept", "application/x-ndjson")])
    #expect(reply.text.split(separator: "\n").map { json(String($0)) } == items)
    let rest = try await app.sender.send(
      "GET", "\(app.path)/changes?after=\(items[1]["cursor"].string ?? "")",
      fields: [("Accept", "application/x-ndjson")])
    #expect(rest.text.split(separator: "\n").map { json(String($0)) } == [items[2]])
  }

  /// More than a reading takes.
  @Test func aLongWayIsReadToItsEnd() async throws {
    let app = try await TestApp.make(.inProcess)
    try await app.service.database.query(
      """
      INSERT INTO app_history (app_id, installation_id, at, event, source)
      SELECT id, gen_random_uuid(), now(), 'updated', 'app'
      FROM app, generate_series(1, \(2 * Limits.changesPerRead + 1)) WHERE slug = '\(app.slug)'
      """)
    try await untilAllIsTold(app)
    let reply = try await app.sender.send(
      "GET", "\(app.path)/changes", fields: [("Accept", "application/x-ndjson")])
    let cursors = reply.text.split(separator: "\n").compactMap { json(String($0))["cursor"].string }
    #expect(cursors.count == 2 * Limits.changesPerRead + 1)
    #expect(Set(cursors).count == cursors.count)
  }

  @Test func aServiceThatStopsEndsItsStreams() async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    let wire = try open(app, "follow=true", "application/x-ndjson")
    _ = try wire.receiveHead()
    _ = try lines(wire) { $0.contains("heartbeat") }
    async let stopped: Void = service.stop()
    let rest = String(decoding: wire.receiveRest(), as: UTF8.self)
    #expect(rest.hasSuffix("0\r\n\r\n"), "\(rest)")
    await stopped
  }

  @Test func placesAreFewAndComeBack() async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    var wires: [Wire] = []
    while true {
      let wire = try open(app, "follow=true", "application/x-ndjson")
      let head = try wire.receiveHead()
      guard head.status == 200 else {
        #expect(head.status == 503)
        #expect(head["retry-after"] != nil)
        break
      }
      wires.append(wire)
      try #require(wires.count < Limits.changeFollowers, "one app has all places")
    }
    #expect(wires.count == Limits.changeFollowers * 3 / 4)
    // Another key of the app shares its part, and another app has one of its own.
    let second = try open(app, "follow=true", "application/x-ndjson", key: "admin")
    #expect(try second.receiveHead().status == 503)
    let other = try open(try await service.app(), "follow=true", "application/x-ndjson")
    #expect(try other.receiveHead().status == 200)
    wires.removeLast()
    try await eventually {
      let wire = try open(app, "follow=true", "application/x-ndjson")
      return try wire.receiveHead().status == 200
    }
    withExtendedLifetime((wires, other)) {}
    wires = []
    await service.stop()
  }

  @Test func aDatabaseThatGoesAwayEndsTheStreamWithAnError() async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    let wire = try open(app, "follow=true", "application/x-ndjson")
    _ = try wire.receiveHead()
    _ = try lines(wire) { $0.contains("heartbeat") }
    let context = service.service.contexts[0]
    await context.loop.run { context.database.answerNanoseconds = 1_000_000_000 }
    try await ScratchCluster.query(
      "ALTER DATABASE \(service.database.name) ALLOW_CONNECTIONS false")
    try await ScratchCluster.query(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = '\(service.database.name)'
      """)
    let rest = String(decoding: wire.receiveRest(), as: UTF8.self)
    #expect(!rest.hasSuffix("\r\n0\r\n\r\n"))
    for part in ["{\"error\":", "\"database_unavailable\"", "\"request_id\":\"feed\""] {
      #expect(rest.contains(part), "\(rest)")
    }
    await service.stop()
  }
}
