import AppTesting
import Foundation
import Records
import TestSupport
import Testing

@testable import App

/// Installations come in from elsewhere. A loop takes few imports at once, so one test follows the
/// other.
@Suite(.serialized) struct ImportTests {
  /// Sends a body.
  private func send(
    _ app: TestApp, _ body: String, _ query: String = "", fields: [(String, String)] = []
  ) async throws -> Reply {
    try await app.admin.send(
      "POST", "\(app.path)/installations/import?\(query)", body: Array(body.utf8), fields: fields)
  }

  /// `accepted updated unchanged rejected`.
  private func counts(_ reply: Reply) -> String {
    ["accepted", "updated", "unchanged", "rejected"].map { "\(reply.json[$0].whole ?? -1)" }
      .joined(separator: " ")
  }

  private func problems(_ reply: Reply, _ name: String = "errors") -> [String] {
    reply.json[name].elements.map {
      "\($0["line"].whole ?? 0) \($0["pointer"].string ?? "?") \($0["code"].string ?? "?")"
    }
  }

  private func lines(_ records: [JSON]) -> String {
    records.map { $0.text + "\n" }.joined()
  }

  private func items(_ app: TestApp) async throws -> [JSON] {
    try await app.admin.items("\(app.path)/installations?limit=1000")
  }

  /// Installations of every kind, as the list shows them.
  private func populate(_ app: TestApp, count: Int) async throws {
    for number in 0..<count {
      var report = number.isMultiple(of: 3) ? Sample.fullReport() : Sample.report()
      report["tags"] = ["n\(number)", "\"quoted\", {braced}"]
      let reply = try await app.sender.put(app.installation(Sample.id()), report)
      #expect(reply.status == 201)
    }
    // What feedback does.
    try await app.service.database.query(
      """
      UPDATE installation SET apns_status = 'invalid', apns_invalidated_at = updated_at,
        apns_reason = 'Unregistered', language_override = 'fr', revision = revision + 1
      WHERE app_id = (SELECT id FROM app WHERE slug = '\(app.slug)') AND 'n3' = ANY (tags)
      """)
  }

  @Test(arguments: Transport.allCases)
  func anExportReadsBackAsItWas(transport: Transport) async throws {
    let source = try await TestApp.make(transport)
    try await populate(source, count: 12)
    let exported = try await items(source)
    #expect(exported.contains { $0["credentials"]["apns"]["status"] == "invalid" })
    for body in [
      lines(exported), JSON.array(exported).text, JSON.object(["items": .array(exported)]).text,
    ] {
      let target = try await TestApp.make(transport)
      let reply = try await send(target, body)
      #expect(counts(reply) == "12 0 0 0")
      #expect(problems(reply) + problems(reply, "ignored") == [])
      #expect(try await items(target) == exported)
      #expect(try await counts(send(target, body)) == "0 0 12 0")
      #expect(try await items(target) == exported)
      #expect(try await target.stored() == source.stored())
    }
  }

  @Test(arguments: Transport.allCases)
  func aDryRunTellsTheSameAndWritesNothing(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let (id, token) = (Sample.id(), Sample.token())
    func record(_ id: String, _ token: String, _ time: String, _ tag: String) -> JSON {
      var record = Sample.report(token)
      record["installation_id"] = .string(id)
      record["updated_at"] = .string("2024-01-01T00:00:\(time)Z")
      record["tags"] = [.string(tag)]
      return record
    }
    let body = lines([
      record(id, token, "10", "a"), record(id, token, "20", "b"), record(id, token, "15", "c"),
      record(Sample.id(), token, "30", "d"), record(Sample.id(), token, "30", "e"),
      ["installation_id": "x"], Sample.report(),
    ])
    let dry = try await send(app, body, "dry_run=true")
    #expect(try await app.stored() == "0 0 0 0")
    #expect(counts(dry) == "2 1 1 3")
    #expect(
      problems(dry) == [
        "5 /credentials/apns/token token_owned", "6 /installation_id invalid_uuid",
        "7 /installation_id missing_field",
      ])
    let wet = try await send(app, body, "dry_run=false")
    #expect(counts(wet) == counts(dry))
    #expect(problems(wet) == problems(dry))
    #expect(try await app.stored() == "2 1 0 0")
    let again = try await send(app, body, "dry_run=true")
    #expect(counts(again) == "0 0 4 3")
    #expect(try await counts(send(app, body)) == "0 0 4 3")
  }

  @Test(arguments: Transport.allCases)
  func aTokenThatTheAppRegisteredStaysWithIt(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let (own, token) = (app.installation(Sample.id()), Sample.token())
    #expect(try await app.client.put(own, Sample.report(token)).status == 201)
    var record = Sample.report(token)
    record["installation_id"] = .string(Sample.id())
    let reply = try await send(app, lines([record]))
    #expect(problems(reply) == ["1 /credentials/apns/token token_owned"])
    #expect(try await app.admin.get(own).json["credentials"]["apns"]["token"] == .string(token))
    #expect(try await app.stored() == "1 1 0 0")
  }

  @Test(arguments: Transport.allCases)
  func theAppTakesItsTokenOver(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let (id, token) = (Sample.id(), Sample.token())
    var report = Sample.report(token)
    report["environment"] = "sandbox"
    var record = report
    record["installation_id"] = .string(Sample.id())
    #expect(try await counts(send(app, lines([record]))) == "1 0 0 0")
    #expect(try await app.client.put(app.installation(id), report).status == 201)
    #expect(try await counts(send(app, lines([record]))) == "0 0 0 1")
    #expect(try await app.stored() == "2 1 0 0")
    let events = try await app.service.database.query(
      """
      SELECT event, source, installation_id::text = '\(id)', from_installation_id IS NOT NULL
      FROM token_history WHERE token = '\\x\(token)' ORDER BY id
      """)
    #expect(
      events == [["registered", "import", "f", "f"], ["moved", "app", "t", "t"]])
  }

  /// What was chosen for a person stands above what a record says.
  @Test(arguments: Transport.allCases)
  func thePersonsLanguageStays(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    #expect(
      try await app.admin.put("\(app.path)/users/ada/language", ["language": "fr"]).status == 200)
    var records: [JSON] = []
    for user in ["ada", "ada", "bob"] {
      var record = Sample.report()
      record["installation_id"] = .string(Sample.id())
      record["user"] = ["id": .string(user)]
      if records.count > 0 { record["language_override"] = "de" }
      records.append(record)
    }
    #expect(try await counts(send(app, lines(records))) == "3 0 0 0")
    let languages = try await items(app).reduce(into: [:]) { languages, item in
      languages[item["installation_id"].string ?? ""] = item["language_override"]
    }
    #expect(
      records.map { languages[$0["installation_id"].string ?? ""] } == ["fr", "fr", "de"])
  }

  /// The choice stands above a record that does not name the person, too.
  @Test(arguments: Transport.allCases)
  func theLanguageOfAPersonWhoIsNotNamedStays(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    var record = Sample.report()
    record["installation_id"] = .string(Sample.id())
    record["user"] = ["id": "ada"]
    #expect(try await counts(send(app, lines([record]))) == "1 0 0 0")
    #expect(
      try await app.admin.put("\(app.path)/users/ada/language", ["language": "fr"]).status == 200)
    record["user"] = .absent
    for language in ["de", JSON.null] {
      record["language_override"] = language
      _ = try await send(app, lines([record]))
      #expect(try await items(app).map { $0["language_override"] } == ["fr"])
    }
  }

  /// A language that is chosen, or forgotten, between the decision on a record and its commit. In a
  /// database of its own, since a table is locked.
  @Test(.onOnePostgres, arguments: [JSON.null, "fr"], [JSON.null, "de"])
  func aLanguageThatIsChosenMeanwhileHolds(before: JSON, later: JSON) async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    func choose(_ language: JSON) async throws {
      let reply = try await app.admin.put(
        "\(app.path)/users/ada/language", ["language": language])
      #expect(reply.status == 200, "\(reply.text)")
    }
    try await choose(before)
    let holder = try await ScratchSession(app.service.database)
    try await holder.query("BEGIN; LOCK TABLE token_owner IN SHARE MODE")
    var record = Sample.report()
    record["installation_id"] = .string(Sample.id())
    record["user"] = ["id": "ada"]
    let body = lines([record])
    async let reply = send(app, body)
    try await eventually {
      try await app.service.database.value(
        """
        SELECT count(*) FROM pg_locks JOIN pg_database AS here ON here.oid = database
        WHERE datname = current_database() AND relation = 'token_owner'::regclass AND NOT granted
        """) == "1"
    }
    try await choose(later)
    try await holder.query("COMMIT")
    #expect(try await counts(reply) == "1 0 0 0")
    #expect(try await items(app).map { $0["language_override"] } == [later])
    await service.stop()
  }

  /// More than a batch, with the same token and the same installation in many places.
  @Test(.onOnePostgres, arguments: Transport.allCases)
  func manyRecordsMeet(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let ids = (0..<700).map { _ in Sample.id() }
    let tokens = (0..<700).map { _ in Sample.token() }
    var records: [JSON] = []
    for round in 0..<3 {
      for index in ids.indices {
        // Each round the tokens go on to the next installation.
        var record = Sample.report(tokens[(index + round) % tokens.count])
        record["installation_id"] = .string(ids[index])
        record["updated_at"] = .string("2024-01-01T00:00:0\(round)Z")
        records.append(record)
      }
    }
    let body = lines(records)
    let dry = try await send(app, body, "dry_run=true")
    #expect(counts(dry) == "700 1400 0 0")
    let reply = try await send(app, body)
    #expect(counts(reply) == "700 1400 0 0")
    #expect(try await app.stored() == "700 700 0 0")
    for item in try await items(app) {
      let index = try #require(ids.firstIndex(of: item["installation_id"].string ?? ""))
      #expect(item["credentials"]["apns"]["token"] == .string(tokens[(index + 2) % tokens.count]))
    }
    #expect(try await counts(send(app, body)) == "0 0 2100 0")
    let wrong = try await app.service.database.value(
      """
      SELECT count(*) FROM token_owner t JOIN app ON app.id = t.app_id AND slug = '\(app.slug)'
      LEFT JOIN installation i ON i.app_id = t.app_id AND i.installation_id = t.installation_id
        AND i.apns_token = t.token
      WHERE i.app_id IS NULL
      """)
    #expect(wrong == "0")
  }

  /// The token of a record is free once a record before it has given it up, of the same batch or of
  /// the one before, though its owner was newer.
  @Test(arguments: Transport.allCases, [0, 400])
  func aTokenThatARecordBeforeGivesUpIsFree(transport: Transport, between: Int) async throws {
    let app = try await TestApp.make(transport)
    let (owner, token) = (Sample.id(), Sample.token())
    func record(_ id: String, _ token: String, _ second: Int) -> JSON {
      var record = Sample.report(token)
      record["installation_id"] = .string(id)
      record["updated_at"] = .string("2024-01-01T00:00:0\(second)Z")
      return record
    }
    #expect(try await counts(send(app, lines([record(owner, token, 5)]))) == "1 0 0 0")
    let others = (0..<between).map { _ in record(Sample.id(), Sample.token(), 1) }
    let body = lines([record(owner, Sample.token(), 6)] + others + [record(Sample.id(), token, 4)])
    #expect(try await counts(send(app, body, "dry_run=true")) == "\(between + 1) 1 0 0")
    let reply = try await send(app, body)
    #expect(counts(reply) == "\(between + 1) 1 0 0", "\(problems(reply))")
  }

  /// A record behind which the token becomes free is rejected all the same.
  @Test(arguments: Transport.allCases)
  func aTokenThatARecordBehindGivesUpIsNotFree(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    var (owner, taker) = (Sample.report(), Sample.report())
    owner["installation_id"] = .string(Sample.id())
    owner["updated_at"] = "2024-01-01T00:00:05Z"
    #expect(try await counts(send(app, lines([owner]))) == "1 0 0 0")
    taker["installation_id"] = .string(Sample.id())
    taker["updated_at"] = "2024-01-01T00:00:04Z"
    taker["credentials"] = owner["credentials"]
    owner["credentials"] = Sample.report()["credentials"]
    owner["updated_at"] = "2024-01-01T00:00:06Z"
    let reply = try await send(app, lines([taker, owner]))
    #expect(counts(reply) == "0 1 0 1")
    #expect(problems(reply) == ["1 /credentials/apns/token token_owned"])
  }

  /// Another writer is faster than the first of two records, of which the second needs the first:
  /// both are decided again. No registration waits for the round that stands still meanwhile.
  @Test(.onOnePostgres) func whatWasOutrunIsDecidedAgainInItsOrder() async throws {
    let service = try await TestService.start(loops: 1)
    let app = try await service.app()
    let (owner, token) = (Sample.id(), Sample.token())
    func record(_ id: String, _ token: String, _ second: Int) -> JSON {
      var record = Sample.report(token)
      record["installation_id"] = .string(id)
      record["updated_at"] = .string("2024-01-01T00:00:0\(second)Z")
      return record
    }
    #expect(try await counts(send(app, lines([record(owner, token, 5)]))) == "1 0 0 0")
    let holder = try await ScratchSession(app.service.database)
    try await holder.query(
      """
      BEGIN; UPDATE installation SET revision = revision + 1, app_version = '9'
      WHERE installation_id = '\(owner)'
      """)
    let body = lines([record(owner, Sample.token(), 6), record(Sample.id(), token, 4)])
    async let reply = send(app, body)
    try await eventually {
      try await app.service.database.value(
        """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
        """) == "1"
    }
    #expect(try await app.client.put(app.installation(Sample.id()), Sample.report()).status == 201)
    try await holder.query("COMMIT")
    #expect(try await counts(reply) == "1 1 0 0")
    #expect(try await app.stored() == "3 3 0 0")
    let versions = try await items(app).filter { $0["app_version"] == "9" }
    #expect(versions.map { $0["installation_id"] } == [.string(owner)])
    await service.stop()
  }

  @Test(arguments: Transport.allCases)
  func aTypoIsNotSilentlyLostAndASecondaryFaultCostsNoToken(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    var typo = Sample.report()
    typo["installation_id"] = .string(Sample.id())
    typo["tag"] = ["a"]
    var zone = Sample.report()
    zone["installation_id"] = .string(Sample.id())
    zone["time_zone"] = "Atlantis/Capital"
    zone["language_override"] = "x"
    let reply = try await send(app, lines([typo, zone]))
    #expect(counts(reply) == "1 0 0 1")
    #expect(problems(reply) == ["1 /tag unknown_field"])
    #expect(
      problems(reply, "ignored") == [
        "2 /time_zone unknown_time_zone", "2 /language_override invalid_language",
      ])
  }

  @Test(arguments: Transport.allCases)
  func hostileBodiesCostThemselves(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    var good = Sample.report()
    good["installation_id"] = .string(Sample.id())
    let random = (0..<20_000).map { index in UInt8(truncatingIfNeeded: index &* 7919 >> 3) }
    let bodies: [[UInt8]] = [
      Array("x".utf8) + random, Array("{".utf8) + random, Array("[".utf8) + random,
      Array((String(repeating: "[", count: 100_000) + "\n").utf8),
      Array(("{\"a\":\"" + String(repeating: "x", count: 10_000_000) + "\"}\n").utf8),
      Array(("{\"a\":" + String(repeating: "[", count: 5_000) + "\n").utf8),
    ]
    for body in bodies {
      let reply = try await app.admin.send(
        "POST", "\(app.path)/installations/import", body: body + Array("\n".utf8))
      #expect(reply.status == 200)
      #expect(reply.json["accepted"] == 0)
      #expect((reply.json["rejected"].whole ?? 0) > 0)
      #expect(reply.json["errors"].elements.count <= 1000)
    }
    #expect(try await app.stored() == "0 0 0 0")
    let mixed = "{\"installation_id\": \n\u{0}\n\(good.text)\n{}\n"
    #expect(try await counts(send(app, mixed)) == "1 0 0 2")
    for body in ["", "\n", "[]", "{\"items\":[]}"] {
      #expect(try await counts(send(app, body)) == "0 0 0 0")
    }
  }

  @Test(arguments: Transport.allCases)
  func aLineThatCannotBeReadIsToldWhere(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await send(app, "{\"a\": 1 2}\n{\"b\": {\"c\": 1, \"c\": 2}}\n")
    #expect(counts(reply) == "0 0 0 2")
    let faults = reply.json["errors"].elements.map { error in
      ["line", "pointer", "code", "detail"].map { error[$0].text }.joined(separator: " ")
    }
    #expect(
      faults == [
        "1 \"\" \"malformed_json\" \"At line 1, column 9 (byte 8) of the record: "
          + "Expected a comma or }, not `2`.\"",
        "2 \"/b/c\" \"duplicate_member\" \"At line 1, column 16 (byte 15) of the record: "
          + "The object has a member of this name already; send it once.\"",
      ])
  }

  @Test(arguments: Transport.allCases)
  func whatIsCompressedIsToldSo(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let byMagic = try await app.admin.send(
      "POST", "\(app.path)/installations/import", body: [0x1F, 0x8B, 8, 0])
    let byHeader = try await send(app, "x", fields: [("Content-Encoding", "gzip")])
    for reply in [byMagic, byHeader] {
      #expect(reply.status == 415)
      #expect(reply.problem == "unsupported_content_encoding")
    }
  }

  /// Other services' formats are the command line's, and an old script hears so.
  @Test(arguments: Transport.allCases)
  func anotherFormatIsToldItsCommand(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let reply = try await send(app, "[]", "format=parse")
    #expect(reply.status == 422)
    #expect(reply.faults == ["format unknown_value"])
    #expect(reply.json["detail"].string?.contains("postilion import --format") == true)
    for query in ["dry_run=1", "environment=sandbox", "map=%7B%7D", "formats=native"] {
      #expect(try await send(app, "{}", query).status == 422, "\(query)")
    }
    #expect(try await send(app, "[]", "format=native").status == 200)
    #expect(try await send(app, "a,b\n1,2\n").status == 422)
  }

  /// A body may come a byte at a time.
  @Test func whatIsHeldOfARecordIsNotCopiedForEachPiece() throws {
    func received(cells: Int) throws -> ReceivedBytes {
      let received = ReceivedBytes()
      let text = "installation_id\n" + String(repeating: "a,", count: cells)
      #expect(try received.rows(1, Array(text.utf8), isAtEnd: false).isEmpty)
      return received
    }
    let times = try Growth.ofWork(on: received(cells: 10), and: received(cells: 60_000)) {
      for _ in 0..<1000 { _ = try? $0.rows(1, [UInt8(ascii: "a")], isAtEnd: false) }
    }
    #expect(times < Growth.limit)
  }

  @Test func codesAreDescribed() {
    for code in ImportFault.allCases.map(\.rawValue) + RecordFault.allCases.map(\.rawValue) {
      #expect(Contract.source.text.contains("`\(code)`"))
    }
  }

  /// What was committed before the body broke off stays, and the answer says so.
  @Test func aBodyThatBreaksOff() async throws {
    let app = try await TestApp.make(.socket)
    let records = (0..<1500).map { _ in
      var record = Sample.report()
      record["installation_id"] = .string(Sample.id())
      return record
    }
    let body = Array(lines(records).utf8)
    let head =
      "POST \(app.path)/installations/import HTTP/1.1\r\nHost: x\r\n"
      + "Authorization: Bearer \(app.keys["admin"] ?? "")\r\nTransfer-Encoding: chunked\r\n\r\n"
    let port = app.service.port
    let reply = try await blocking {
      let wire = try Wire(port: port)
      try wire.send(Array(head.utf8))
      try wire.send(Array("\(String(body.count, radix: 16))\r\n".utf8) + body + [13, 10])
      try wire.send(Array("no chunk\r\n".utf8))
      return try wire.receive()
    }
    #expect(reply.status == 400)
    let detail = reply.json["detail"].string ?? ""
    #expect(detail.contains("At least 1280 records were done by then"))
    #expect(try await app.stored() == "1280 1280 0 0")
    #expect(try await counts(send(app, lines(records))) == "220 0 1280 0")
  }

  /// Apps register while their installations are imported: nothing is lost, nothing is there twice.
  @Test func registrationsGoOnMeanwhile() async throws {
    let app = try await TestApp.make(.inProcess)
    let ids = (0..<300).map { _ in Sample.id() }
    let tokens = (0..<300).map { _ in Sample.token() }
    let records = ids.indices.map { index in
      var record = Sample.report(tokens[index])
      record["installation_id"] = .string(ids[index])
      record["updated_at"] = "2024-01-01T00:00:00Z"
      return record
    }
    async let imported = send(app, lines(records))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in ids.indices {
        group.addTask {
          // Some under the imported id, some under another.
          let id = index.isMultiple(of: 2) ? ids[index] : Sample.id()
          let reply = try await app.sender.put(app.installation(id), Sample.report(tokens[index]))
          #expect([200, 201].contains(reply.status))
        }
      }
      try await group.waitForAll()
    }
    let reply = try await imported
    #expect(reply.status == 200)
    #expect(
      ["accepted", "updated", "unchanged", "rejected"].reduce(0) {
        $0 + (reply.json[$1].whole ?? 0)
      }
        == 300)
    let held = try await items(app).compactMap { $0["credentials"]["apns"]["token"].string }
    #expect(held.count == 300)
    #expect(Set(held) == Set(tokens))
  }
}
