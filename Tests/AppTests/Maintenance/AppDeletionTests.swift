import AppTesting
import DeviceProfile
import EventLoop
import FoundationEssentials
import JSON
import Postgres
import Testing

@testable import App
@testable import Registry

/// A deleted app is gone at once, and its rows soon.
@Suite struct AppDeletionTests {
  private static let tables = [
    "token_history", "app_history", "registration_failure", "token_owner", "installation",
    "user_language", "catalog", "catalog_file", "message", "api_key",
  ]

  /// The rows that an app has, or had, by table.
  private func rows(_ appID: Int32, _ service: TestService) async throws -> String? {
    let counts = Self.tables.map { "(SELECT count(*) FROM \($0) WHERE app_id = \(appID))" }
    let all = counts + ["(SELECT count(*) FROM app WHERE id = \(appID))"]
    return try await service.database.value("SELECT concat_ws(' ', \(all.joined(separator: ", ")))")
  }
  private static let none = "0 0 0 0 0 0 0 0 0 0 0"

  private func id(of app: TestApp) throws -> Int32 {
    let apps = app.service.service.shared.directory.snapshot.apps
    let slug = try #require(AppSlug(app.slug))
    return try #require(apps[slug]?.id)
  }

  /// Installations with a token, an event and a failure each.
  private func fill(_ appID: Int32, _ count: Int, _ database: ScratchDatabase) async throws {
    try await database.query(
      """
      CREATE TEMP TABLE device AS SELECT gen_random_uuid() AS id, decode(md5(n::text), 'hex') AS t,
        '2026-05-02T10:00:00Z'::timestamptz + make_interval(secs => n) AS at
      FROM generate_series(1, \(count)) AS n;
      INSERT INTO installation (app_id, installation_id, revision, platform, environment,
        apns_token, apns_status, apns_registered_at, languages, facets, localization,
        capabilities, tags, created_at, updated_at, last_seen_at)
      SELECT \(appID), id, 1, 'ios', 'production', t, 'active', at, '{}', '{}', 'auto', '{}', '{}',
        at, at, at FROM device;
      INSERT INTO token_owner (app_id, environment, kind, token, installation_id, registered_at)
      SELECT \(appID), 'production', 'apns', t, id, at FROM device;
      INSERT INTO token_history (app_id, installation_id, at, environment, kind, token, event,
        source)
      SELECT \(appID), id, at, 'production', 'apns', t, 'registered', 'app' FROM device;
      INSERT INTO registration_failure (app_id, id, kind, domain, code, occurred_at, received_at)
      SELECT \(appID), id, 'apns', 'd', 1, at, at FROM device;
      INSERT INTO app_history (app_id, at, event, source)
      VALUES (\(appID), now(), 'breaker_opened', 'feedback');
      INSERT INTO user_language VALUES (\(appID), 'u', 'fr', now());
      INSERT INTO message VALUES (\(appID), 'm', 1, '{}', now(), now())
      """)
  }

  @Test(arguments: Transport.allCases)
  func fiftyThousandDevicesGoAndNobodyWaits(transport: Transport) async throws {
    let service = try await TestService.start()
    let (app, other) = (try await service.app(transport), try await service.app(transport))
    let appID = try id(of: app)
    let otherID = try id(of: other)
    for (id, count) in [(appID, 50_000), (otherID, 10)] {
      try await fill(id, count, service.database)
    }
    _ = try await app.admin.upload(
      "\(app.path)/catalogs/1", [("en.lproj/Localizable.strings", "\"a\" = \"b\";")])
    #expect(try await app.admin.delete(app.path).status == 204)
    #expect(try await app.admin.get(app.path).status == 401)
    let root = service.client(transport)
    #expect(try await root.get(app.path).problem == "app_not_found")
    // The name is free at once, and whoever takes it finds nothing.
    #expect(try await root.put(app.path, ["bundle_id": "com.example.next"]).status == 201)
    #expect(try await root.get("\(app.path)/installations").json["items"] == [])
    try await eventually { try await rows(appID, service) == Self.none }
    #expect(try await rows(otherID, service) == "10 1 10 10 10 1 0 0 1 3 1")
    #expect(try await root.get(app.path).status == 200)
    await service.stop()
  }

  @Test(.onOnePostgres) func whatIsBrokenOffTheNextMaintenanceFinishes() async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    let appID = try id(of: app)
    try await fill(appID, 6000, service.database)
    try await service.database.query(
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE 'not now'; END $$;
      CREATE TRIGGER refuse BEFORE DELETE ON token_history
        FOR EACH STATEMENT EXECUTE FUNCTION refuse()
      """)
    #expect(try await app.admin.delete(app.path).status == 204)
    try await eventually { service.log.text.contains("maintenance_failed") }
    #expect(try await rows(appID, service) == "6000 1 0 0 0 0 0 0 1 0 1")
    try await service.database.query("DROP TRIGGER refuse ON token_history")
    let done = try await service.maintain()?.done
    #expect(done?.last == "removed the deleted app \(app.slug) with 6001 rows")
    #expect(try await rows(appID, service) == Self.none)
    await service.stop()
  }

  @Test func aRegistrationOnItsWayIsRefused() async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    let appID = try id(of: app)
    let context = service.service.contexts[0]
    /// As a request does that found the app before it was deleted.
    func register() async throws -> ProblemKind? {
      let decoded = try RegistrationReport.decode(Array(Sample.report().text.utf8))
      return await context.loop.run {
        do {
          _ = try await context.registrar.register(
            appID: appID, id: InstallationID(UUID()), decoded.body, source: .app,
            now: Timestamp(microseconds: 1_700_000_000_000_000))
          return nil
        } catch { return Problem(error).kind }
      }
    }
    // The purge waits while someone else has the lock.
    let result = await context.loop.run { () -> Result<ProblemKind??, any Error> in
      do {
        return .success(
          try await context.database.exclusively(lease: MaintenanceReport.lease, waits: false) {
            _ in
            #expect(try await app.admin.delete(app.path).status == 204)
            return try await register()
          })
      } catch { return .failure(error) }
    }
    #expect(try result.get() == .some(.appNotFound))
    try await eventually { try await rows(appID, service) == Self.none }
    #expect(try await register() == .appNotFound)
    #expect(try await rows(appID, service) == Self.none)
    await service.stop()
  }

  /// Its records are all of the app that is gone: none of them is at fault.
  @Test func anImportOnItsWayEndsWithTheApp() async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    let slug = try #require(AppSlug(app.slug))
    var gone = try #require(service.service.shared.directory.snapshot.apps[slug])
    gone.id += 1000
    let order = ImportOrder(app: gone, isDryRun: false)
    let records = try (0..<2).map { _ in
      let text = #"{"installation_id": "\#(UUID())", "platform": "ios", "environment": "sandbox"}"#
      return try ImportRecord.decode(Array(text.utf8)).body
    }
    let context = service.service.contexts[0]
    let kind = await context.loop.run { () -> ProblemKind? in
      do {
        let writer = ImportWriter(order, context, WorkShare())
        _ = try await writer.write(writer.decide(records))
        return nil
      } catch { return Problem(error).kind }
    }
    #expect(kind == .appNotFound)
    await service.stop()
  }
}
