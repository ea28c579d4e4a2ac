import AppTesting
import Testing

/// A token belongs to one installation at a time, whoever reports it, however many at once.
@Suite struct TokenOwnershipTests {
  @Test(arguments: Transport.allCases)
  func aTokenMovesToWhoReportsItLast(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let (old, new) = (Sample.id(), Sample.id())
    let token = Sample.token()
    _ = try await app.admin.put(app.installation(old), Sample.report(token))
    let moved = try await app.admin.put(app.installation(new), Sample.report(token.uppercased()))
    #expect(moved.status == 201)
    #expect(moved.json["credentials"]["apns"]["token"] == .string(token))
    #expect(try await app.admin.get(app.installation(old)).json["credentials"] == [:])
    let found = try await app.admin.items("\(app.path)/installations?token=\(token)")
    #expect(found.map { $0["installation_id"] } == [.string(new)])
    #expect(try await app.stored() == "2 1 0 0")

    // And back again.
    _ = try await app.admin.put(app.installation(old), Sample.report(token))
    #expect(try await app.admin.get(app.installation(new)).json["credentials"] == [:])
    #expect(try await inconsistencies(app) == [])
  }

  @Test(arguments: Transport.allCases)
  func aNewTokenReplacesTheOldOne(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    let (old, new) = (Sample.token(), Sample.token())
    _ = try await app.admin.put(path, Sample.report(old))
    let reply = try await app.admin.put(path, Sample.report(new))
    #expect(reply.json["credentials"]["apns"]["token"] == .string(new))
    #expect(try await app.stored() == "1 1 0 0")
    #expect(try await app.admin.items("\(app.path)/installations?token=\(old)") == [])
  }

  @Test(arguments: Transport.allCases)
  func appsEnvironmentsAndKindsHaveTheirOwnTokens(transport: Transport) async throws {
    let (one, other) = (try await TestApp.make(transport), try await TestApp.make(transport))
    let token = Sample.token()
    var sandbox = Sample.report(token)
    sandbox["environment"] = "sandbox"
    let voip: JSON = [
      "platform": "ios", "environment": "production",
      "credentials": ["voip": ["token": .string(token)]],
    ]
    for report in [Sample.report(token), sandbox, voip] {
      #expect(try await one.admin.put(one.installation(Sample.id()), report).status == 201)
      #expect(try await other.admin.put(other.installation(Sample.id()), report).status == 201)
    }
    #expect(try await one.stored() == "3 3 0 0")
    #expect(try await other.stored() == "3 3 0 0")
  }

  @Test(arguments: Transport.allCases)
  func theOldSpellingOfATokenIsTheSameToken(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    let token = Sample.token()
    var groups: [Substring] = []
    for start in stride(from: 0, to: 64, by: 8) { groups.append(token.dropFirst(start).prefix(8)) }
    let first = try await app.admin.put(path, Sample.report(token))
    let second = try await app.admin.put(
      path, Sample.report("<\(groups.joined(separator: " ").uppercased())>"))
    #expect(second.status == 200)
    #expect(second.json["credentials"] == first.json["credentials"])
    #expect(second.json["updated_at"] == first.json["updated_at"])
  }

  /// An instance of a release before deletes an installation and leaves the tokens of kinds that it
  /// does not know: here the row goes, and the ledger still has the token.
  @Test(.onOnePostgres) func aTokenOfAnOwnerThatIsGoneIsFree() async throws {
    let app = try await TestApp.make(.inProcess)
    let tokens = [Sample.token(), Sample.token()]
    for token in tokens {
      let old = Sample.id()
      _ = try await app.admin.put(app.installation(old), Sample.report(token))
      try await app.service.database.query(
        "DELETE FROM installation WHERE installation_id = '\(old)'")
    }
    let reported = try await app.admin.put(
      app.installation(Sample.id()), Sample.report(tokens[0]))
    #expect(reported.status == 201, "\(reported.text)")
    var record = Sample.report(tokens[1])
    let id = Sample.id()
    record["installation_id"] = .string(id)
    let imported = try await app.admin.send(
      "POST", "\(app.path)/installations/import", body: Array("\(record.text)\n".utf8),
      fields: [("Content-Type", "application/x-ndjson")])
    #expect(imported.json["rejected"] == 0, "\(imported.text)")
    #expect(try await app.admin.get(app.installation(id)).status == 200)
    #expect(try await inconsistencies(app) == [])
  }

  @Test func manyThatReportTheSameTokenEndWithOneOwner() async throws {
    let app = try await TestApp.make(.socket)
    let tokens = (0..<3).map { _ in Sample.token() }
    let ids = (0..<6).map { _ in Sample.id() }
    try await storm(app) { turn in
      // Every token by every installation, in another order each time.
      let (id, token) = (ids[turn % 6], tokens[(turn / 6 + turn) % 3])
      return try await app.admin.put(app.installation(id), Sample.report(token))
    }
    #expect(try await inconsistencies(app) == [])
  }

  @Test func manyThatReportTheSameInstallationEndWithOneState() async throws {
    let app = try await TestApp.make(.socket)
    let id = Sample.id()
    try await storm(app) { turn in
      var report = Sample.report()
      report["locale"] = .string("en_\(turn)")
      return try await app.admin.put(app.installation(id), report)
    }
    #expect(try await app.stored() == "1 1 0 0")
    #expect(try await inconsistencies(app) == [])
  }

  @Test func registrationsAndDeletionsAtOnceLeaveNoOrphan() async throws {
    let app = try await TestApp.make(.socket)
    let ids = (0..<4).map { _ in Sample.id() }
    let tokens = (0..<2).map { _ in Sample.token() }
    try await storm(app) { turn in
      let path = app.installation(ids[turn % 4])
      return switch turn % 5 {
      case 0: try await app.admin.delete(path)
      case 1: try await app.admin.delete("\(path)/credentials/apns")
      default: try await app.admin.put(path, Sample.report(tokens[turn % 2]))
      }
    }
    #expect(try await inconsistencies(app) == [])
  }

  /// Many requests at once. Each ends well, or as one that may be tried again.
  private func storm(
    _ app: TestApp, _ request: @escaping @Sendable (Int) async throws -> Reply
  ) async throws {
    try await withThrowingTaskGroup { group in
      for turn in 0..<96 { group.addTask { try await request(turn) } }
      for try await reply in group {
        let isFine =
          [200, 201, 204, 404].contains(reply.status) || reply.problem == "conflict"
        #expect(isFine, "\(reply.status) \(reply.text)")
      }
    }
  }

  /// Where the ledger and the installations disagree: tokens that only one of them has.
  private func inconsistencies(_ app: TestApp) async throws -> [[String?]] {
    let held = ["apns", "voip"].map { kind in
      """
      SELECT app_id, environment, '\(kind)' AS kind, \(kind)_token AS token, installation_id
      FROM installation WHERE \(kind)_token IS NOT NULL
      """
    }
    let owned =
      "SELECT app_id, environment, kind, token, installation_id FROM token_owner"
      + " WHERE installation_id IS NOT NULL"
    return try await app.service.database.query(
      """
      WITH held AS (\(held.joined(separator: " UNION ALL "))), owned AS (\(owned)),
        wrong AS ((TABLE held EXCEPT ALL TABLE owned) UNION ALL (TABLE owned EXCEPT ALL TABLE held))
      SELECT wrong.* FROM wrong JOIN app ON app.id = app_id WHERE slug = '\(app.slug)'
      """)
  }
}
