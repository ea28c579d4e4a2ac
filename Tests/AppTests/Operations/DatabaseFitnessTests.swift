import AppTesting
import EventLoop
import Postgres
import Registry
import Testing

@testable import App

/// Readiness tells when the schema is not the one that the program needs; registrations then are
/// 503 and no defect.
@Suite struct DatabaseFitnessTests {
  /// What somebody did to the database, what undoes it, and what readiness then says.
  struct Harm: Sendable, CustomTestStringConvertible {
    let harm: String
    let cure: String
    let says: String
    /// Whether registrations fail.
    let failsCalls: Bool
    var testDescription: String { harm }

    init(_ harm: String, _ cure: String, _ says: String, failsCalls: Bool = true) {
      self.harm = harm
      self.cure = cure
      self.says = says
      self.failsCalls = failsCalls
    }
  }

  @Test(
    .onOnePostgres,
    arguments: [
      Harm(
        "ALTER TABLE installation RENAME time_zone TO zone",
        "ALTER TABLE installation RENAME zone TO time_zone", "installation.time_zone is missing"),
      Harm(
        "ALTER TABLE installation DROP COLUMN user_id CASCADE",
        """
        ALTER TABLE installation ADD user_id text;
        CREATE INDEX installation_user ON installation (app_id, user_id) WHERE user_id IS NOT NULL
        """, "installation.user_id is missing"),
      Harm(
        "ALTER TABLE token_owner RENAME TO tokens", "ALTER TABLE tokens RENAME TO token_owner",
        "token_owner is missing"),
      Harm(
        "ALTER TABLE installation ALTER locale TYPE bytea USING NULL",
        "ALTER TABLE installation ALTER locale TYPE text USING NULL",
        "installation.locale is bytea, and this release expects text"),
      Harm(
        "ALTER TABLE installation ADD extra text NOT NULL", "ALTER TABLE installation DROP extra",
        "installation.extra wants a value, and this release does not know the column"),
      Harm(
        "ALTER TABLE installation ALTER language_override SET NOT NULL",
        "ALTER TABLE installation ALTER language_override DROP NOT NULL",
        "installation.language_override is text not null, and this release expects text"),
      Harm(
        "ALTER TABLE installation ALTER platform DROP NOT NULL",
        "ALTER TABLE installation ALTER platform SET NOT NULL",
        "installation.platform is text, and this release expects text not null",
        failsCalls: false),
      Harm(
        "ALTER TABLE token_owner DROP CONSTRAINT token_owner_pkey",
        "ALTER TABLE token_owner ADD PRIMARY KEY (app_id, environment, kind, token)",
        "token_owner(app_id,environment,kind,token) is missing"),
      Harm(
        "ALTER TYPE installation_row_2 RENAME TO other_row",
        "ALTER TYPE other_row RENAME TO installation_row_2", "installation_row_2 is missing"),
      Harm(
        "ALTER FUNCTION clean_filter_index() RENAME TO clean",
        "ALTER FUNCTION clean() RENAME TO clean_filter_index", "clean_filter_index() is missing",
        failsCalls: false),
      Harm(
        "DELETE FROM schema_migration WHERE name = 'm0010_audience_order'",
        "INSERT INTO schema_migration (name) VALUES ('m0010_audience_order')",
        "it lacks the step m0010_audience_order, which postilion migrate adds", failsCalls: false),
      Harm(
        "UPDATE least_program SET step = 'm9000_later'",
        "UPDATE least_program SET step = 'm0001_registry'",
        "for programs that know the step m9000_later"),
    ])
  func whatIsNotAsExpectedIsToldAndNoDefect(harm: Harm) async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    try await service.database.query(harm.harm)
    try await Self.look(service)
    try await eventually {
      let reply = try await service.client(key: nil).get("/readyz")
      return reply.status == 503 && reply.problem == "database_unavailable"
        && reply["retry-after"] != nil && reply.json["detail"].string?.contains(harm.says) == true
    }
    let refused = try await app.client.put(app.installation(Sample.id()), Sample.fullReport())
    #expect(refused.status == (harm.failsCalls ? 503 : 201), "\(refused.text)")
    if harm.failsCalls { #expect(refused.problem == "database_unavailable") }
    #expect(service.log.text.contains("database_unfit"))

    // An instance that starts meanwhile is not ready from its first moment on; a step that was made
    // cannot be made once more.
    if !harm.says.contains("lacks the step") {
      let other = try await TestService.start(database: service.database)
      #expect(try await other.client(key: nil).get("/readyz").status == 503)
      await other.stop()
    }

    try await service.database.query(harm.cure)
    try await Self.look(service)
    try await eventually { try await service.client(key: nil).get("/readyz").status == 200 }
    try await eventually {
      try await app.client.put(app.installation(Sample.id()), Sample.fullReport()).status == 201
    }
    await service.stop()
  }

  /// As after a restore without its rights, or with those that somebody gave by hand.
  @Test(
    .onOnePostgres,
    arguments: [
      ("INSERT ON token_owner", "token_owner is a table that the account may not write", true),
      ("UPDATE ON lease", "lease is a table that the account may not update", false),
      (
        "DELETE ON installation", "installation is a table that the account may not delete from",
        false
      ),
      ("UPDATE ON sighting", "sighting is a table that the account may not update", false),
      (
        "ALL ON SEQUENCE entity_tag", "entity_tag is a sequence that the account may not use", false
      ),
    ])
  func aRightThatIsMissingIsTold(right: String, says: String, failsCalls: Bool) async throws {
    let database = try await ScratchCluster.databaseWithRoles()
    let service = try await TestService.start(database: database)
    let app = try await service.app()
    try await eventually { try await service.client(key: nil).get("/readyz").status == 200 }
    try await database.query("REVOKE \(right) FROM postilion_service")
    try await Self.look(service)
    try await eventually {
      try await service.client(key: nil).get("/readyz").json["detail"].string?
        .contains(says) == true
    }
    let refused = try await app.client.put(app.installation(Sample.id()), Sample.report())
    if failsCalls {
      #expect(refused.status == 503)
      #expect(
        refused.json["detail"]
          == "The account of the service lacks a right in the database (SQLSTATE 42501).")
    }
    await service.stop()
  }

  private static let sentence =
    "The schema is for programs that know the step m9000_later, and this one ends with "
    + "\(Migration.all.last?.name ?? ""): install a newer release."

  /// Rights that no statement needs: somebody may want a log that the service only adds to.
  @Test(.onOnePostgres) func aRightThatNobodyNeedsMayBeMissing() async throws {
    let database = try await ScratchCluster.databaseWithRoles()
    try await database.query(
      """
      REVOKE UPDATE, DELETE ON audit_log, catalog_file FROM postilion_service;
      REVOKE UPDATE ON app_history, catalog, registration_failure FROM postilion_service;
      REVOKE DELETE ON feedback_breaker, lease FROM postilion_service
      """)
    let service = try await TestService.start(database: database)
    try await eventually { try await service.client(key: nil).get("/readyz").status == 200 }
    await service.stop()
  }

  /// Neither for calls nor of itself: it installs no key, tidies up nothing, delivers nothing. Once
  /// it may serve again, it makes up for that.
  @Test(.onOnePostgres) func aProgramThatIsTooOldWritesNothing() async throws {
    let service = try await TestService.start(webhookNetworks: ["127.0.0.0/8"])
    let (app, database) = (try await service.app(), service.database)
    let receiver = TestReceiver()
    _ = try await app.admin.post("\(app.path)/webhooks", ["url": .string(receiver.url())])
    service.service.startDelivering()
    try await eventually {
      try await database.value("SELECT until > now() FROM lease WHERE name = 'webhooks'") == "t"
    }
    try await database.query("UPDATE least_program SET step = 'm9000_later'")
    // Calls of an instance that has not looked yet: reports that wait, and a change to deliver.
    let id = Sample.id()
    for _ in 1...2 { _ = try await app.client.put(app.installation(id), Sample.report()) }
    try await Self.look(service)
    try await eventually {
      try await database.value("SELECT until > now() FROM lease WHERE name = 'webhooks'") == "f"
    }
    let (before, delivered) = (try await Self.contents(of: database), receiver.all.count)

    // What this program reads at its start need not be there any more.
    try await database.query("ALTER TABLE app RENAME slug TO label")
    let started = try await TestService.start(
      database: database, rootKey: "pst_root_another-one-that-is-configured",
      webhookNetworks: ["127.0.0.0/8"])
    for one in [service, started] {
      let readiness = try await one.client(key: nil).get("/readyz")
      #expect(readiness.json["detail"] == .string(Self.sentence))
      let refused = try await one.client().put("/v1/apps/food", ["bundle_id": "com.example.food"])
      #expect(refused.status == 503)
      await #expect(throws: PostgresError(.outdated, Self.sentence)) { try await one.maintain() }
      one.service.startHousekeeping()
      let context = one.service.contexts[0]
      await context.loop.run {
        await one.service.writeKeyUses(context.database)
        await one.service.countAhead()
      }
    }
    started.service.startDelivering()
    let command = try RunningProcess(["migrate"], environment: ["DATABASE_URL": database.owner])
    #expect(try await command.end() == 69)
    #expect(command.standardError == "postilion: \(Self.sentence)\n")
    #expect(try await Self.contents(of: database) == before)
    #expect(receiver.all.count == delivered)

    try await database.query("ALTER TABLE app RENAME label TO slug")
    try await database.query("UPDATE least_program SET step = 'm0001_registry'")
    for one in [service, started] { try await Self.look(one) }
    let client = started.client(key: "pst_root_another-one-that-is-configured")
    try await eventually { try await client.get("/v1/apps").status == 200 }
    try await eventually { !receiver.all.isEmpty }
    await started.stop()
    await service.stop()
  }

  /// All rows of all tables, with the transactions that wrote them.
  private static func contents(of database: ScratchDatabase) async throws -> [String: String] {
    let tables = try await database.query(
      """
      SELECT relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1
      """
    ).compactMap { $0.first ?? nil }
    var contents: [String: String] = [:]
    for table in tables {
      contents[table] = try await database.value(
        "SELECT string_agg(x.xmin || x::text, ' ' ORDER BY x::text) FROM \"\(table)\" AS x")
    }
    return contents
  }

  /// Looks, as the service does every ten seconds.
  private static func look(_ service: TestService) async throws {
    let context = service.service.contexts[0]
    await context.loop.run { await service.service.look(at: context.database) }
  }
}
