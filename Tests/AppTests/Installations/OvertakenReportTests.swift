import AppTesting
import JSON
import Testing

/// Reports of one installation, of which a newer one overtakes an older one.
@Suite struct OvertakenReportTests {
  /// A report whose COMMIT stands still is written later, though its client was told that nobody
  /// knows. A newer one that found the state before it unchanged stands all the same.
  /// - Parameter isGivenUp: Whether the older one has its answer when the newer one comes.
  @Test(.onOnePostgres, arguments: [false, true])
  func anOlderOneThatIsWrittenLaterDoesNotStand(isGivenUp: Bool) async throws {
    let patient = try await TestService.start()
    let database = patient.database
    let theirs = try await patient.app()
    let path = theirs.installation(Sample.id())
    #expect(try await theirs.admin.put(path, Sample.fullReport()).status == 201)
    try await database.query(
      """
      CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER hold AFTER UPDATE ON installation DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.locale = 'fr_FR') EXECUTE FUNCTION hold();
      """)
    let holder = try await ScratchSession(database)
    try await holder.query("SELECT pg_advisory_lock(1)")

    let service = try await TestService.start(database: database, databaseWaitSeconds: 15)
    let admin = service.app(like: theirs).admin
    let older: JSON = ["reported_at": "2026-05-02T19:40:00Z", "locale": "fr_FR"]
    let newer: JSON = ["reported_at": "2026-05-02T19:41:00Z", "locale": "en_HK"]
    async let late = admin.patch(path, older)
    try await eventually {
      try await database.value(
        """
        SELECT count(*) FROM pg_locks JOIN pg_database AS here ON here.oid = database
        WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted
        """) == "1"
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
    await service.stop()
    await patient.stop()
  }
}
