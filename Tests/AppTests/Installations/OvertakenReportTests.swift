import AppTesting
import JSON
import Testing

@testable import App

/// Reports of one installation, of which a newer one overtakes an older one.
@Suite struct OvertakenReportTests {
  private let older: JSON = ["reported_at": "2026-05-02T19:40:00Z", "locale": "fr_FR"]
  private let newer: JSON = ["reported_at": "2026-05-02T19:41:00.000Z", "locale": "en_HK"]

  /// A call that its client sends again and again while the first one waits.
  @Test func equalOnesAtOnceAreWrittenOnce() async throws {
    let app = try await TestApp.make(.socket)
    let id = Sample.id()
    #expect(try await app.admin.put(app.installation(id), Sample.fullReport()).status == 201)
    let revision = "SELECT revision FROM installation WHERE installation_id = '\(id)'"
    let before = try #require(try await app.service.database.value(revision).flatMap { Int64($0) })
    try await withThrowingTaskGroup { group in
      for _ in 0..<24 {
        group.addTask { [older] in
          let reply = try await app.admin.patch(app.installation(id), older)
          #expect(reply.status == 200, "\(reply.text)")
          #expect(reply.json["applied"] == true)
        }
      }
      try await group.waitForAll()
    }
    let after = try await app.service.database.value(revision).flatMap { Int64($0) }
    #expect(after == before + 1)
  }

  /// The newer one changes nothing, so that only the sightings have its time.
  @Test func nothingOfAnOlderOneIsRefused() async throws {
    let app = try await TestApp.make(.socket)
    let path = app.installation(Sample.id())
    #expect(try await app.admin.put(path, Sample.fullReport()).status == 201)
    let seen = try await app.admin.patch(path, ["reported_at": newer["reported_at"]])
    #expect(seen.json["applied"] == true)
    let shared: JSON = ["token": .string(Sample.token())]
    var report: JSON = ["credentials": ["apns": shared, "voip": shared]]
    #expect(try await app.admin.patch(path, report).status == 422)
    report["reported_at"] = older["reported_at"]
    let reply = try await app.admin.patch(path, report)
    #expect(reply.status == 200, "\(reply.text)")
    #expect(reply.json["applied"] == false)
  }

  /// While a report waits that leaves the installation as it is, a backend changes or deletes that
  /// installation, and so says nothing of the time of a report.
  @Test(arguments: [false, true])
  func aReportIsOfTheInstallationThatIsThere(isDeleted: Bool) async throws {
    let service = try await TestService.start()
    let other = try await TestService.start(database: service.database)
    let app = try await service.app()
    let path = app.installation(Sample.id())
    #expect(try await app.admin.put(path, Sample.fullReport()).status == 201)
    #expect(try await app.admin.patch(path, ["reported_at": "2026-05-02T19:32:41Z"]).status == 200)
    let admin = other.app(like: app).admin
    try await eventually { try await admin.get(path).status == 200 }

    let holder = try await ScratchSession(service.database)
    try await holder.query("BEGIN; SELECT FROM sighting FOR UPDATE")
    async let late = app.admin.patch(path, ["reported_at": "2026-05-02T19:32:42Z"])
    try await eventually {
      try await service.database.value(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted") == "1"
    }
    let done =
      isDeleted ? try await admin.delete(path) : try await admin.patch(path, ["locale": "fr_FR"])
    #expect(done.status == (isDeleted ? 204 : 200), "\(done.text)")
    try await holder.query("COMMIT")
    let reply = try await late
    #expect(reply.status == (isDeleted ? 404 : 200), "\(reply.text)")
    if !isDeleted { #expect(reply.json["locale"] == "fr_FR") }
    await other.stop()
    await service.stop()
  }

  /// A report whose COMMIT stands still is written later, though its client was told that nobody
  /// knows. A newer one that found the state before it unchanged stands all the same. In a cluster
  /// of its own, as the feed of all databases of a cluster waits for a COMMIT.
  @Test(.onOnePostgres) func anOlderOneThatIsWrittenLaterDoesNotStand() async throws {
    let cluster = try await StandbyCluster()
    defer { cluster.stop() }
    let database = cluster.primary
    let patient = try await TestService.start(database: database)
    let app = try await patient.app()
    try await database.query(
      """
      CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER hold AFTER UPDATE ON installation DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.locale = 'fr_FR') EXECUTE FUNCTION hold();
      """)
    let service = try await TestService.start(database: database, databaseWaitSeconds: 20)
    for isGivenUp in [false, true] {
      let path = app.installation(Sample.id())
      #expect(try await app.admin.put(path, Sample.fullReport()).status == 201)
      let admin = service.app(like: app).admin
      try await eventually { try await admin.get(path).status == 200 }
      try await overtake(path, admin, in: database, isGivenUp: isGivenUp)
    }
    await service.stop()
    await patient.stop()
  }

  /// - Parameter isGivenUp: Whether the older one has its answer when the newer one comes.
  private func overtake(
    _ path: String, _ admin: Client, in database: ScratchDatabase, isGivenUp: Bool
  ) async throws {
    let holder = try await ScratchSession(database)
    try await holder.query("SELECT pg_advisory_lock(1)")
    async let late = admin.patch(path, older)
    try await eventually {
      try await database.value(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") == "1"
    }
    if isGivenUp { #expect(try await late.status == 503) }
    let unsure = try await admin.patch(path, newer)
    #expect(unsure.status == 503, "\(unsure.text)")
    #expect(try await late.status == 503)
    try await holder.query("SELECT pg_advisory_unlock(1)")
    try await eventually { try await admin.patch(path, newer).status == 200 }
    let stored = try await admin.get(path).json
    #expect(stored["locale"] == "en_HK")
    #expect(stored["reported_at"] == newer["reported_at"])
  }
}
