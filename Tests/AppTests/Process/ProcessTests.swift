import App
import AppTesting
import Foundation
import TestSupport
import Testing

/// The program: its ready line, its exit codes, and what it keeps when it is killed.
@Suite(.serialized) final class ProcessTests: Sendable {
  /// A space in the path, as in “Application Support”.
  private let directory = "/tmp/postilion process tests \(UUID().uuidString.prefix(8))"

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func serve(
    _ environment: [String: String] = [:], arguments: [String] = ["--listen", "127.0.0.1:0"]
  ) throws -> RunningProcess {
    try RunningProcess(
      ["serve"] + arguments,
      environment: [
        "POSTILION_DATA_DIR": "\(directory)/data", "POSTILION_ROOT_KEY": TestService.rootKey,
        "POSTILION_LOOPS": "2", "POSTILION_DATABASE_TIMEOUT_SECONDS": "60",
      ].merging(environment) { $1 })
  }

  @Test func aServiceWithItsOwnDatabaseStartsStopsAndStartsAgain() async throws {
    let first = try serve(["POSTILION_ROOT_KEY": ""])
    let port = try await first.ready()
    let lines = first.standardOutput.split(separator: "\n")
    #expect(lines.count == 2)
    let key = try #require(lines.first?.wholeMatch(of: /root key (pst_root_\S+)/)?.output.1)
    let put = "PUT /v1/apps/kept HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(key)\r\n"
    let body = #"{"bundle_id":"com.example.kept"}"#
    let created = try await exchange(
      port, put + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
    #expect(created.status == 201)
    first.signal(SIGTERM)
    #expect(try await first.end() == 0)
    let maintained = try RunningProcess(
      ["maintain"], environment: ["POSTILION_DATA_DIR": "\(directory)/data"])
    #expect(try await maintained.end() == 0)

    let second = try serve(["POSTILION_ROOT_KEY": ""])
    let again = try await second.ready()
    #expect(!second.standardOutput.contains("root key"))
    let get = "GET /v1/apps/kept HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(key)\r\n\r\n"
    #expect(try await exchange(again, get).status == 200)
    second.signal(SIGINT)
    #expect(try await second.end() == 0)
  }

  /// A step that waits for a lock ends with the program that sent it.
  @Test(.onOnePostgres, arguments: [SIGTERM, SIGKILL])
  func aProgramThatEndsTakesItsMigrationAlong(signal: Int32) async throws {
    let database = try await ScratchCluster.database()
    let step = "m0021_catalog_entries_left_out"
    try await database.query(
      """
      DELETE FROM schema_migration WHERE name = '\(step)';
      ALTER TABLE catalog DROP COLUMN entries_left_out
      """)
    let holder = try await ScratchSession(database)
    try await holder.query("BEGIN; LOCK TABLE catalog IN ACCESS SHARE MODE")
    let process = try RunningProcess(["migrate"], environment: ["DATABASE_URL": database.owner])
    try await eventually { process.standardError.contains("\(step) waits for catalog, held by ") }
    process.signal(signal)
    #expect(try await process.end() == 128 + signal)
    try await eventually {
      try await database.value(
        """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'postilion'
        """) == "0"
    }
    try await holder.query("COMMIT")
    let applied = "SELECT count(*) FROM schema_migration WHERE name = '\(step)'"
    #expect(try await database.value(applied) == "0")
    let again = try RunningProcess(["migrate"], environment: ["DATABASE_URL": database.owner])
    #expect(try await again.end() == 0)
    #expect(try await database.value(applied) == "1")
  }

  /// A request whose body is still on its way when the service is told to stop.
  @Test func aRequestInFlightIsFinished() async throws {
    let database = try await ScratchCluster.database()
    let process = try serve(
      ["DATABASE_URL": database.conninfo, "POSTILION_DRAIN_SECONDS": "600"])
    let port = try await process.ready()
    let body = #"{"bundle_id":"com.example.late"}"#
    let head = """
      PUT /v1/apps/late HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(TestService.rootKey)\r\n\
      Content-Length: \(body.utf8.count)\r\nExpect: 100-continue\r\n\r\n
      """
    let reply = try await blocking {
      let wire = try Wire(port: port)
      try wire.send(Array(head.utf8))
      // The interim answer says that the service reads; only then is it told to stop.
      try wire.awaitContinue()
      process.signal(SIGTERM)
      while (try? Wire(port: port)) != nil { usleep(1000) }
      try wire.send(Array(body.utf8))
      return try wire.receive()
    }
    #expect(reply.status == 201)
    #expect(try await process.end() == 0)
    #expect(try await database.value("SELECT slug FROM app") == "late")
  }

  @Test(arguments: [
    ["serve", "--loops", "0"], ["serve", "--listen", "nowhere"], ["serve", "--port", "80"],
    ["serve", "--root-key", "secret"], ["serve", "--log", "xml"], ["serve", "--data-dir"],
    ["serve", "--database-connections=many"], ["serve", "--retention-months", "0"],
    ["maintain", "--retention-months=121"],
  ])
  func aConfigurationThatIsWrongIsOneLineAnd64(arguments: [String]) async throws {
    let process = try RunningProcess(arguments)
    #expect(try await process.end() == 64)
    #expect(process.standardOutput.isEmpty)
    let lines = process.standardError.split(separator: "\n")
    #expect(lines.count == 1)
    #expect(!process.standardError.contains("secret"))
  }

  /// The schema cannot be made by an account that may not.
  @Test func aDatabaseThatRefusesIs69() async throws {
    let database = try await ScratchCluster.database(isMigrated: false)
    try await database.query("CREATE ROLE guest LOGIN")
    let process = try serve(["DATABASE_URL": "\(database.conninfo) user='guest'"])
    #expect(try await process.end() == 69)
    #expect(!process.standardOutput.contains("ready"))
    #expect(process.standardError.contains("The database cannot be used: postgres 42501"))
    #expect(process.standardError.contains("Run postilion migrate with the account that owns"))
    let last = try #require(process.standardError.split(separator: "\n").last)
    let end = JSON(parsing: Array(last.utf8))
    #expect(end["event"] == "ended")
    #expect(end["status"] == 69)
  }

  @Test func maintainTellsWhatItDid() async throws {
    let database = try await ScratchCluster.database()
    func maintain(_ conninfo: String) async throws -> (RunningProcess, Int32) {
      let process = try RunningProcess(["maintain"], environment: ["DATABASE_URL": conninfo])
      return (process, try await process.end())
    }
    let (first, status) = try await maintain(database.owner)
    #expect(status == 0)
    let lines = first.standardOutput.split(separator: "\n")
    #expect(lines.count == 12)
    #expect(lines.allSatisfy { $0.contains(/^made \w+_20\d\d_[01]\d$/) })
    let (second, again) = try await maintain(database.owner)
    #expect(again == 0)
    #expect(second.standardOutput.isEmpty)
    #expect(second.standardError.isEmpty)
  }

  @Test func aServiceMaintainsByItself() async throws {
    let database = try await ScratchCluster.database()
    let process = try serve(["DATABASE_URL": database.owner])
    _ = try await process.ready()
    try await eventually {
      try await database.value(
        "SELECT count(*) FROM pg_inherits WHERE inhparent::regclass::text "
          + "IN ('token_history', 'app_history', 'registration_failure', 'audit_log')") == "16"
    }
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)
  }

  /// Who serves need not be who owns the tables; then the owner maintains them.
  @Test func maintainWithoutRightsIs69() async throws {
    let database = try await ScratchCluster.database()
    try await database.query(
      """
      CREATE ROLE clerk LOGIN;
      GRANT ALL ON ALL TABLES IN SCHEMA public TO clerk;
      GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO clerk
      """)
    let process = try RunningProcess(
      ["maintain"], environment: ["DATABASE_URL": "\(database.conninfo) user='clerk'"])
    #expect(try await process.end() == 69)
    // The log says what its session began, as JSON.
    let lines = process.standardError.split(separator: "\n").filter { !$0.hasPrefix("{") }
    #expect(lines.count == 12)
    #expect(lines.allSatisfy { $0.hasPrefix("postilion: ") && $0.contains("postgres 42501") })
  }

  @Test func maintainWithoutASchemaIs69() async throws {
    let database = try await ScratchCluster.database(isMigrated: false)
    let process = try RunningProcess(
      ["maintain"], environment: ["DATABASE_URL": database.conninfo])
    #expect(try await process.end() == 69)
    #expect(process.standardError.contains("schema"))
  }

  /// An address that no machine has (RFC 5737). Nothing is made in the database.
  @Test func anAddressThatCannotBeListenedOnIs73() async throws {
    let database = try await ScratchCluster.database()
    let process = try serve(
      [
        "DATABASE_URL": database.conninfo, "POSTILION_LISTEN": "192.0.2.1:8080",
        "POSTILION_ROOT_KEY": "",
      ], arguments: [])
    #expect(try await process.end() == 73)
    #expect(process.standardError.contains("Cannot listen on 192.0.2.1:8080"))
    #expect(try await database.value("SELECT count(*) FROM api_key") == "0")
  }

  /// A start that fails after it has made the key has told it: nothing tells it later.
  @Test(.onOnePostgres) func theFirstRootKeyIsToldAtOnce() async throws {
    let database = try await ScratchCluster.databaseWithRoles()
    try await database.query("REVOKE SELECT ON app FROM postilion_service")
    let process = try serve(["DATABASE_URL": database.conninfo, "POSTILION_ROOT_KEY": ""])
    #expect(try await process.end() == 69)
    #expect(process.standardOutput.wholeMatch(of: /root key pst_root_\S+\n/) != nil)
  }

  /// Its name may be wrong, or the variable was not filled in.
  @Test(arguments: ["migrate", "maintain", "restored"])
  func whereThereIsNoDatabaseNoneIsMade(command: String) async throws {
    let place = "\(directory)/none"
    let process = try RunningProcess(
      [command], environment: ["DATABASE_URL": "", "POSTILION_DATA_DIR": place])
    #expect(try await process.end() == 64)
    let lines = process.standardError.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.contains(#""event":"database_url_empty""#) == true)
    #expect(
      lines.last
        == "postilion: There is no database in \(place): set DATABASE_URL, or POSTILION_DATA_DIR.")
    #expect(!FileManager.default.fileExists(atPath: place))
  }

  @Test func aRootKeyThatACallRevokedIs64() async throws {
    let database = try await ScratchCluster.database()
    let service = try await TestService.start(database: database)
    let other = try await service.client().post("/v1/keys", ["label": "other"]).json["key"].string
    let root = service.client(key: other)
    let id = try await root.items("/v1/keys?").first?["id"].string ?? ""
    #expect(try await root.delete("/v1/keys/\(id)").status == 204)
    let process = try serve(["DATABASE_URL": database.conninfo])
    #expect(try await process.end() == 64)
    #expect(
      process.standardError.contains(
        "POSTILION_ROOT_KEY names a key that was revoked: set another one."))
    #expect(try await service.client().get("/v1/keys").status == 401)
    await service.stop()
  }

  @Test(arguments: [
    ([], "usage: postilion <command>"), (["maintian"], "the nearest is maintain."),
    (["bogus"], "postilion --help lists all."),
  ])
  func aCommandThatIsNoneIsToldTheCommands(arguments: [String], answer: String) async throws {
    let process = try RunningProcess(arguments)
    #expect(try await process.end() == 64)
    #expect(process.standardError.contains(answer))
  }

  private static let version = "postilion \(Service.version)\n"

  @Test(arguments: [
    (["--help"], "usage: postilion <command>"), (["help"], "  maintain  make the coming"),
    (["--version"], version), (["version"], version),
    (["serve", "--help"], "--retention-months VALUE  (POSTILION_RETENTION_MONTHS)"),
    (["migrate", "--help"], "usage: postilion migrate [options]"),
    (["maintain", "--data-dir=/nowhere", "--help"], "--data-dir VALUE  (POSTILION_DATA_DIR)"),
    (["migrate", "--version"], version),
  ])
  func whoAsksIsTold(arguments: [String], answer: String) async throws {
    let process = try RunningProcess(arguments)
    #expect(try await process.end() == 0)
    #expect(process.standardOutput.contains(answer))
    #expect(process.standardError.isEmpty)
  }

  @Test func aVariableThatNothingReadsIsAWarning() async throws {
    let database = try await ScratchCluster.database()
    let process = try RunningProcess(
      ["migrate"],
      environment: [
        "DATABASE_URL": database.conninfo, "POSTILION_ROOTKEY": "pst_root_hunter2hunter2hunter2",
      ])
    #expect(try await process.end() == 0)
    let line = process.standardError
    #expect(line.split(separator: "\n").count == 1)
    let fields = [
      #""level":"warning""#, #""event":"unknown_variable""#, #""variable":"POSTILION_ROOTKEY""#,
      #""nearest":"POSTILION_ROOT_KEY""#,
    ]
    #expect(fields.allSatisfy { line.contains($0) }, "\(line)")
    #expect(!line.contains("hunter2"))
  }

  /// What was acknowledged is there after the service and its database were killed. One round, or
  /// as many as `POSTILION_KILL_ROUNDS` says.
  @Test func whatWasAcknowledgedSurvivesAKill() async throws {
    for round in 1...environmentNumber("POSTILION_KILL_ROUNDS", 1) {
      let process = try serve()
      let load = try await RegistrationLoad(process)
      try await load.more(1000)
      process.signal(SIGKILL)
      #expect(try await process.end() == 128 + SIGKILL)
      let expected = try await load.end().acknowledged

      let again = try serve()
      let present = try await RegistrationLoad.tokens(try await again.ready())
      let lost = expected.filter { present[$0.key] != $0.value }
      #expect(lost.isEmpty, "round \(round): \(lost.count) of \(expected.count) are lost")
      print("round \(round): \(expected.count) acknowledged, \(lost.count) lost")
      again.signal(SIGTERM)
      #expect(try await again.end() == 0)
    }
  }

  private func exchange(_ port: UInt16, _ request: String) async throws -> Reply {
    try await AppTests.exchange(port, Array(request.utf8))
  }
}
