import AppTesting
import Foundation
import Postgres
import Testing

/// The rights of `sql/roles.sql`.
@Suite struct RolesTests {
  /// What serving takes, from the first app to an import, is allowed.
  @Test func theServiceServesWithItsRole() async throws {
    let database = try await ScratchCluster.databaseWithRoles()
    let service = try await TestService.start(database: database)
    let app = try await service.app()
    let path = app.installation(Sample.id())
    #expect(try await app.client.put(path, Sample.fullReport()).status == 201)
    #expect(try await app.admin.put(path, ["locale": "fr_FR"]).status == 200)
    let uploaded = try await app.admin.upload(
      "\(app.path)/catalogs/3.2.0", [("en.lproj/Localizable.strings", "\"a\" = \"b\";")])
    #expect(uploaded.status == 201, "\(uploaded.text)")
    let stored = try await app.admin.put(
      "\(app.path)/messages/m", ["alert": ["title": "Ready", "body": "Now"]])
    #expect(stored.status == 201, "\(stored.text)")
    var record = Sample.report()
    record["installation_id"] = .string(Sample.id())
    let imported = try await app.admin.send(
      "POST", "\(app.path)/installations/import", body: Array((record.text + "\n").utf8))
    #expect(imported.status == 200, "\(imported.text)")
    #expect(imported.json["accepted"].whole == 1, "\(imported.text)")
    #expect(try await app.admin.delete(path).status == 204)
    try await eventually { try await app.admin.get("/readyz").status == 200 }
    #expect(try await service.client().delete(app.path).status == 204)
    await service.stop()
  }

  /// Whoever comes behind the script waits as long as behind a migration.
  @Test func itWaitsForLocksAsMigrationsDo() throws {
    let script = try Self.script
    #expect(script.contains("SET lock_timeout = '\(LockLimits.milliseconds)ms';"))
  }

  /// What it does not take is refused.
  @Test func theServiceMayDoNothingElse() async throws {
    let database = try await ScratchCluster.databaseWithRoles()
    try await database.query(
      """
      CREATE SCHEMA elsewhere;
      CREATE TABLE elsewhere.secret (word text);
      CREATE TABLE IF NOT EXISTS public.strange (word text)
      """)
    #expect(try await database.queryAsService("SELECT current_user") == [["postilion_service"]])
    for command in [
      "CREATE TABLE extra ()", "CREATE SCHEMA extra", "CREATE INDEX ON installation (platform)",
      "CREATE FUNCTION extra() RETURNS int LANGUAGE sql AS 'SELECT 1'",
      "ALTER TABLE installation ADD extra text", "ALTER TABLE audit_log RENAME TO extra",
      "ALTER TABLE installation DISABLE TRIGGER ALL", "DROP TABLE audit_log",
      "TRUNCATE installation", "SELECT * FROM elsewhere.secret", "SELECT * FROM strange",
      "INSERT INTO schema_migration (name) VALUES ('m9')", "DELETE FROM schema_migration",
      "UPDATE schema_migration SET name = 'm'", "SET ROLE postilion_owner", "CREATE ROLE extra",
      "ALTER SYSTEM SET fsync = off", "COPY app TO PROGRAM 'true'",
      "SELECT pg_read_file('PG_VERSION')", "SELECT * FROM pg_authid",
    ] {
      let refusal = await #expect(throws: ScratchDatabase.Refusal.self, "\(command)") {
        _ = try await database.queryAsService(command)
      }
      #expect(
        refusal?.description.contains(/permission denied|must be (owner|superuser)/) == true,
        "\(command): \(refusal?.description ?? "")")
    }
  }

  /// The owner makes the partitions, and what the service writes lands in them. To set the roles up
  /// again changes nothing.
  @Test func theOwnerMaintains() async throws {
    let database = try await ScratchCluster.databaseWithRoles()
    let process = try RunningProcess(["maintain"], environment: ["DATABASE_URL": database.owner])
    #expect(try await process.end() == 0)
    #expect(process.standardOutput.split(separator: "\n").count == 12)
    let again = try RunningProcess(["maintain"], environment: ["DATABASE_URL": database.conninfo])
    #expect(try await again.end() == 0)
    #expect(again.standardOutput.isEmpty && again.standardError.isEmpty)

    let service = try await TestService.start(database: database)
    let app = try await service.app()
    #expect(
      try await app.client.put(app.installation(Sample.id()), Sample.report()).status == 201)
    #expect(try await database.value("SELECT count(*) FROM token_history_default") == "0")
    #expect(try await database.value("SELECT count(*) FROM token_history") == "1")
    await service.stop()
  }

  /// What was made before there were roles is the owner's, too, who applies later migrations.
  @Test func theOwnerGetsWhatIsThere() async throws {
    let database = try await ScratchCluster.database()
    try await ScratchCluster.giveRoles(to: database)
    try await expectAllIsTheOwners(in: database)
  }

  /// On a managed server nobody is a superuser: an account that may make roles owns the database.
  @Test(.enabled(if: ScratchCluster.isPrivate))
  func whoOwnsTheDatabaseGivesWhatIsThere() async throws {
    // The roles are there, as others use them at the same time.
    _ = try await ScratchCluster.databaseWithRoles()
    let database = try await ScratchCluster.database(isMigrated: false)
    let admin = "\(database.name)_admin"
    try await database.query(
      """
      CREATE ROLE \(admin) LOGIN CREATEROLE;
      ALTER DATABASE \(database.name) OWNER TO \(admin);
      DO $$
      BEGIN
        -- As one who made them.
        IF current_setting('server_version_num')::integer >= 160000 THEN
          EXECUTE 'GRANT postilion_owner, postilion_service TO \(admin)
            WITH ADMIN TRUE, INHERIT FALSE, SET FALSE';
        END IF;
      END
      $$
      """)
    let migration = try RunningProcess(
      ["migrate"], environment: ["DATABASE_URL": "\(database.conninfo) user=\(admin)"])
    #expect(try await migration.end() == 0)
    for _ in 1...2 {
      try await database.query("SET SESSION AUTHORIZATION \(admin);" + Self.script)
      try await expectAllIsTheOwners(in: database)
    }
  }

  private static var script: String {
    get throws {
      try String(contentsOf: Sources.root.appending(path: "sql/roles.sql"), encoding: .utf8)
    }
  }

  private func expectAllIsTheOwners(in database: ScratchDatabase) async throws {
    let others = try await database.query(
      """
      SELECT relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'S', 'c')
        AND relowner <> 'postilion_owner'::regrole
      UNION ALL
      SELECT proname FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace AND proowner <> 'postilion_owner'::regrole
      """)
    #expect(others.isEmpty, "\(others)")
  }
}
