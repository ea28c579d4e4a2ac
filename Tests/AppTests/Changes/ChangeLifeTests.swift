import AppTesting
import EventLoop
import Postgres
import Synchronization
import Testing

@testable import App
@testable import Registry

/// What becomes of cursors when the database is another one, or forgets.
@Suite struct ChangeLifeTests {
  private func register(_ app: TestApp) async throws -> String {
    let id = Sample.id()
    #expect(try await app.admin.put(app.installation(id), Sample.report()).status == 201)
    return id
  }

  /// As after a restore into another cluster: rows have the numbers of the old one, which may be
  /// far ahead.
  @Test func aCursorOfAnEarlierLifeIsGone() async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    _ = try await register(app)
    _ = try await register(app)
    let cursors = try await allChanges(of: app).compactMap { $0["cursor"].string }
    try await service.database.query(
      """
      UPDATE change_epoch SET origin = 'elsewhere';
      UPDATE token_history SET transaction_id = '999999999999999' WHERE id = (
        SELECT max(id) FROM token_history);
      """)
    for cursor in cursors {
      for (accept, status) in [("application/json", 410), ("text/event-stream", 410)] {
        let reply = try await app.sender.send(
          "GET", "\(app.path)/changes?after=\(cursor)", fields: [("Accept", accept)])
        #expect(reply.status == status)
        #expect(reply.problem == "changes_gone")
        #expect(reply.json["detail"].string?.contains("after=now") == true)
      }
    }
    // What was restored is in the list of installations, and no change of this life.
    #expect(try await app.sender.get("\(app.path)/changes").json["items"] == [])
    let now = try await app.sender.get("\(app.path)/changes?after=now")
    let id = try await register(app)
    let items = try await allChanges(of: app)
    #expect(items.map { $0["installation_id"] } == [.string(id)])
    let next = try await app.sender.get(
      "\(app.path)/changes?after=\(now.json["next_cursor"].string ?? "")")
    #expect(next.json["items"].elements == items)
    #expect(try await service.database.value("SELECT count(*) FROM change_epoch") == "2")
    await service.stop()
  }

  @Test func oneWhoFollowsLearnsOfIt() async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    let wire = try Wire(port: service.port)
    try wire.send(
      Array(
        """
        GET \(app.path)/changes?follow=true HTTP/1.1\r\nHost: localhost\r
        Authorization: Bearer \(app.keys["sender"] ?? "")\r\n\r\n
        """.utf8))
    #expect(try wire.receiveHead().status == 200)
    _ = try wire.receiveChunk()
    try await service.database.query("UPDATE change_epoch SET origin = 'elsewhere'")
    let rest = String(decoding: wire.receiveRest(), as: UTF8.self)
    #expect(rest.contains("\"changes_gone\""))
    await service.stop()
  }

  /// Whoever has a cursor can make up one that is beyond the database, or of another life. It is
  /// refused, and neither the other apps nor this one's own readers notice.
  @Test(
    arguments: [
      { $0.position.transaction = TransactionID(1 << 60) },
      { $0.position.transaction = TransactionID(.max) },
      { $0.epoch = 0 },
      { $0.epoch += 1 },
    ] as [@Sendable (inout ChangeCursor) -> Void])
  func aCursorThatIsMadeUpConcernsNobodyElse(
    forge: @Sendable (inout ChangeCursor) -> Void
  ) async throws {
    let service = try await TestService.start()
    let apps = [try await service.app(), try await service.app()]
    let id = try await register(apps[0])
    let code = try await apps[0].sender.send("POST", "\(apps[0].installation(id))/claim-code")
    #expect(code.status == 201)
    var cursors: [ChangeCursor] = []
    for app in apps {
      let reply = try await app.sender.get("\(app.path)/changes?after=now")
      cursors.append(try #require(ChangeCursor(reply.json["next_cursor"].string ?? "")))
    }
    var forged = cursors[1]
    forge(&forged)
    for accept in ["application/json", "text/event-stream"] {
      let reply = try await apps[1].sender.send(
        "GET", "\(apps[1].path)/changes?after=\(forged.text)", fields: [("Accept", accept)])
      #expect(reply.problem == "changes_gone")
    }
    for (app, cursor) in zip(apps, cursors) {
      let reply = try await app.sender.get("\(app.path)/changes?after=\(cursor.text)")
      #expect(reply.status == 200)
    }
    #expect(try await service.database.value("SELECT count(*) FROM claim_code") == "1")
    #expect(try await service.database.value("SELECT count(*) FROM change_epoch") == "1")
    await service.stop()
  }

  /// After thirteen months without a call.
  @Test func aCursorOfWhatIsGoneIsGone() async throws {
    let start = try #require(Timestamp(rfc3339: "2026-11-21T20:00:00Z"))
    let time = Mutex(start)
    let database = try await ScratchCluster.database()
    let service = try await TestService.start(
      database: database, conninfo: database.owner, clock: { time.withLock { $0 } })
    let app = try await service.app()
    _ = try await register(app)
    let old = try await allChanges(of: app).compactMap { $0["cursor"].string }.last ?? ""
    func set(_ text: String) throws {
      let new = try #require(Timestamp(rfc3339: text))
      time.withLock { $0 = new }
    }
    // Who looked later stands later, also if there was nothing.
    try set("2027-02-01T00:00:00Z")
    let idle = try await app.sender.get("\(app.path)/changes?after=\(old)")
    #expect(idle.json["items"] == [])
    try set("2027-12-31T23:00:00Z")
    _ = try await service.maintain()
    #expect(try await app.sender.get("\(app.path)/changes?after=\(old)").status == 200)
    try set("2028-01-01T00:00:00Z")
    #expect(try await service.maintain()?.failed == [])
    let gone = try await app.sender.get("\(app.path)/changes?after=\(old)")
    #expect(gone.status == 410)
    #expect(gone.problem == "changes_gone")
    let fresh = idle.json["next_cursor"].string ?? ""
    #expect(try await app.sender.get("\(app.path)/changes?after=\(fresh)").status == 200)
    await service.stop()
  }

  /// Each session of each instance looks for it behind a restart, before it does anything.
  @Test func theEndOfALifeIsFoundByIndexes() async throws {
    let service = try await TestService.start()
    let plan = try await service.database.query(
      "SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT \(behindNewestChange)"
    ).compactMap { $0[0] }.joined(separator: "\n")
    #expect(plan.contains("token_history_default_app_id_transaction_id_idx"), "\(plan)")
    #expect(!plan.contains("Seq Scan on token_history"), "\(plan)")
    await service.stop()
  }
}
