import AppTesting
import EventLoop
import Foundation
import Postgres
import Testing

@testable import App

/// `postilion doctor`: what it finds, what it says to do, and its exit status.
@Suite struct DoctorTests {
  private struct Result {
    var status: Int32
    var output: String
    /// How it is with each thing, by its name.
    var states: [String: String]
  }

  private func doctor(
    _ environment: [String: String], _ arguments: [String] = []
  ) async throws -> Result {
    let process = try RunningProcess(
      ["doctor"] + arguments,
      environment: ["POSTILION_LISTEN": "127.0.0.1:0"].merging(environment) { $1 })
    let status = try await process.end()
    #expect(process.standardError.isEmpty)
    let words = process.standardOutput.split(separator: "\n").map { $0.split(separator: " ") }
      .filter { ["ok", "note", "wrong"].contains($0[0]) }
    return Result(
      status: status, output: process.standardOutput,
      states: Dictionary(words.map { (String($0[1]), String($0[0])) }) { $1 })
  }

  /// A service with the roles of `sql/roles.sql`, before and after the owner's daily work.
  @Test func itFollowsTheStepsOfAnOperator() async throws {
    let database = try await ScratchCluster.databaseWithRoles()
    let settings = ["DATABASE_URL": database.conninfo]
    let before = try await doctor(settings)
    #expect(before.status == 1)
    #expect(
      before.states == [
        "settings": "ok", "database": "ok", "rights": "ok", "sessions": "ok", "schema": "note",
        "partitions": "wrong",
        "changes": "ok", "clock": "ok", "disk": "ok", "listen": "ok", "proxies": "note",
      ], "\(before.output)")
    #expect(before.output.contains("→ Run postilion maintain with the account that owns"))
    let owner = try RunningProcess(["maintain"], environment: ["DATABASE_URL": database.owner])
    #expect(try await owner.end() == 0)
    let after = try await doctor(settings)
    #expect(after.status == 0, "\(after.output)")
    #expect(after.states["partitions"] == "ok")
    let asOwner = try await doctor(["DATABASE_URL": database.owner])
    #expect(asOwner.states["rights"] == "note")
    #expect(asOwner.output.contains("owns the tables") || asOwner.output.contains("superuser"))
  }

  @Test func aDatabaseWithoutASchemaIsToldTheWay() async throws {
    let database = try await ScratchCluster.database(isMigrated: false)
    let found = try await doctor(["DATABASE_URL": database.conninfo])
    #expect(found.status == 1)
    #expect(found.states["schema"] == "wrong")
    #expect(found.output.contains("postilion migrate makes it."))
    #expect(try await database.query("SELECT FROM pg_class WHERE relname = 'app'").isEmpty)
  }

  /// As with grants that were given by hand, and a limit of the account.
  @Test(.onOnePostgres) func rightsAndSessionsThatAreMissingAreWrong() async throws {
    let database = try await ScratchCluster.databaseWithRoles()
    try await database.query(
      """
      REVOKE UPDATE, DELETE ON installation, token_owner FROM postilion_service;
      REVOKE USAGE ON SEQUENCE entity_tag FROM postilion_service
      """)
    try await database.query("ALTER DATABASE \"\(database.name)\" CONNECTION LIMIT 7")
    let found = try await doctor(["DATABASE_URL": database.conninfo, "POSTILION_LOOPS": "2"])
    #expect(found.states["rights"] == "wrong", "\(found.output)")
    #expect(found.output.contains("postilion_service lacks rights: "), "\(found.output)")
    #expect(found.output.contains(" (and 2 more like it).\n"), "\(found.output)")
    #expect(found.states["sessions"] == "wrong")
    #expect(found.output.contains("may have 7, and this instance takes up to 12 without any"))
    #expect(found.states["schema"] == "wrong")
  }

  @Test func aServerThatIsNotThereIsWrong() async throws {
    let found = try await doctor(["DATABASE_URL": "postgres://a:hunter2@127.0.0.1:1/b"])
    #expect(found.status == 1)
    #expect(found.states["database"] == "wrong")
    #expect(found.output.contains("→ Look at host and port in DATABASE_URL"))
    #expect(!found.output.contains("hunter2"))
  }

  @Test func settingsThatCannotBeReadAreAFinding() async throws {
    let found = try await doctor(["POSTILION_LOOPS": "none"])
    #expect(found.status == 1)
    #expect(found.states == ["settings": "wrong"])
    let unknown = try await doctor(
      ["DATABASE_URL": "postgres://a@127.0.0.1:1/b", "POSTILION_ROOTKEY": "hunter2"])
    #expect(unknown.states["settings"] == "note")
    #expect(unknown.output.contains("POSTILION_ROOTKEY (the nearest is POSTILION_ROOT_KEY)"))
    #expect(!unknown.output.contains("hunter2"))
  }

  @Test func itSpeaksJSON() async throws {
    let found = try await doctor(["DATABASE_URL": "postgres://a@127.0.0.1:1/b"], ["--json"])
    #expect(found.status == 1)
    let json = JSON(parsing: Array(found.output.utf8))
    #expect(json["is_well"] == .bool(false))
    let checks = json["checks"].elements
    #expect(checks.map { $0["check"] } == ["settings", "database", "listen", "proxies"])
    #expect(checks.allSatisfy { $0.names == ["check", "finding", "remedy", "state"] })
    #expect(checks[1]["state"] == "wrong")
  }

  /// Beside a running service with its own database, and before there is any.
  @Test func thePrivateDatabaseIsLookedAtAndNothingIsMade() async throws {
    let directory = "/tmp/postilion doctor tests \(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let settings = ["POSTILION_DATA_DIR": "\(directory)/data"]
    let before = try await doctor(settings)
    #expect(before.status == 0, "\(before.output)")
    #expect(before.output.contains("postilion serve makes a private one."))
    #expect(!FileManager.default.fileExists(atPath: directory))

    let process = try RunningProcess(
      ["serve"],
      environment: settings.merging(["POSTILION_LISTEN": "127.0.0.1:0", "POSTILION_LOOPS": "1"]) {
        $1
      })
    let port = try await process.ready()
    let listen = ["POSTILION_LISTEN": "127.0.0.1:\(port)"]
    let beside = try await doctor(settings.merging(listen) { $1 })
    #expect(beside.states["schema"] != "wrong", "\(beside.output)")
    #expect(beside.output.contains("postilion \(Service.version) runs on 127.0.0.1:\(port)"))
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)
    let after = try await doctor(settings)
    #expect(after.states["database"] == "note", "\(after.output)")
    #expect(after.status == 0)
  }

  // MARK: Decisions

  @Test(arguments: [
    (101, "ok"), (99, "ok"), (-899, "ok"), (-900, "wrong"), (1101, "ok"), (1102, "wrong"),
  ])
  func clocks(milliseconds: Int64, state: String) {
    let entry = ServerExamination.clock(milliseconds * 1000, asked: 100_000, answered: 102_000)
    #expect(entry.state.rawValue == state, "\(entry.finding)")
  }

  @Test(
    arguments: [
      ("127.0.0.1:8080", [], "note"), ("127.0.0.1:8080", ["127.0.0.1", "::1"], "ok"),
      ("127.0.0.1:8080", ["10.0.0.0/8"], "wrong"), ("0.0.0.0:8080", [], "note"),
      ("0.0.0.0:8080", ["10.0.0.0/8"], "ok"), ("[::]:8080", ["0.0.0.0/0"], "wrong"),
      ("[::1]:8080", ["::1"], "ok"), ("[::]:8080", ["10.0.0.0/8", "::/0"], "wrong"),
      ("[::]:8080", ["2000::/3"], "wrong"), ("[::]:8080", ["2001:db8::/32"], "ok"),
    ] as [(String, [String], String)])
  func proxies(listen: String, networks: [String], state: String) throws {
    let entry = Doctor.proxies(
      TrustedProxies(networks: networks.compactMap { IPNetwork($0) }),
      listen: try #require(SocketAddress(listen)))
    #expect(entry.state.rawValue == state, "\(entry.finding)")
    #expect((entry.remedy == nil) == (state == "ok"))
  }

  @Test(arguments: [
    (19, "wrong"), (20, "note"), (27, "note"), (28, "ok"), (97, "ok"),
  ])
  func sessions(available: Int32, state: String) {
    let entry = ServerFacts(sessions: available).sessions(calls: 20, streams: 8)
    #expect(entry.state.rawValue == state, "\(entry.finding)")
    #expect((entry.remedy == nil) == (state == "ok"))
  }

  /// What libpq says of a server, and where to look.
  @Test(arguments: [
    ("connection refused", "Look at host and port in DATABASE_URL"),
    (
      #"root certificate file "/r.crt" does not exist"#,
      "sslrootcert=… in DATABASE_URL names a file"
    ),
    ("SSL error: certificate verify failed", "sslrootcert=… in DATABASE_URL names a file"),
    (
      #"server certificate for "db" does not match host name "10.0.0.1""#,
      "sslrootcert=… in DATABASE_URL names a file"
    ),
    ("server does not support SSL, but SSL was required", "Turn on ssl in postgresql.conf"),
  ])
  func serversThatAreNotReached(message: String, remedy: String) {
    let entry = ServerExamination.unreachable(
      "database", "DATABASE_URL", PostgresError(.disconnected, message))
    #expect(entry.state == .wrong)
    #expect(entry.remedy?.hasPrefix(remedy) == true, "\(entry)")
  }

  @Test(arguments: [(100, 200, "ok"), (15, 200, "note"), (0, 200, "wrong"), (0, 0, "wrong")])
  func rooms(free: UInt64, total: UInt64, state: String) {
    let entry = Doctor.room(free: free << 30, of: total << 30, for: "/d")
    #expect(entry.state.rawValue == state, "\(entry.finding)")
  }

  @Test(
    arguments: [
      ("ok\npostilion 1.0.0", "ready", "ok"), ("ok\npostilion 1.0.0", "The disk is full.", "wrong"),
      ("ok\npostilion 1.0.0", nil, "wrong"), ("<html>", "ready", "wrong"), (nil, nil, "wrong"),
    ] as [(String?, String?, String)])
  func listeners(health: String?, readiness: String?, state: String) {
    let entry = Doctor.listener(on: "127.0.0.1:8080", health: health, readiness: readiness)
    #expect(entry.state.rawValue == state, "\(entry.finding)")
  }

  @Test func servers() {
    var facts = ServerFacts()
    #expect(facts.server(at: "x").state == .ok)
    facts.isStandby = true
    #expect(facts.server(at: "x").state == .wrong)
    facts.versionNumber = 130_014
    #expect(facts.server(at: "x").finding.contains("PostgreSQL 15.0"))
    let barred = SchemaPart(name: "a", definition: "a table that the account may not update")
    #expect(facts.rights([SchemaPart(name: "a", definition: "a table")]).state == .ok)
    #expect(facts.rights([barred]).state == .wrong)
    #expect(
      facts.rights([barred]).finding
        == "postilion_service lacks rights: a is \(barred.definition).")
    facts.ownsTables = true
    #expect(facts.rights([]).state == .note)
    #expect(facts.partitions([], tables: ["audit_log"]).state == .ok)
  }
}
