import AppTesting
import EventLoop
import Postgres
import Testing

@testable import App

@Suite struct DatabaseClockTests {
  /// In seconds: the clock that never jumps said 100 when the database was asked and 102 when its
  /// answer was there, which was 300.
  @Test(arguments: [
    (301, 301), (300, 300), (302, 302), (290, 300), (303, 302), (3900, 302), (-3600, 300),
  ])
  func anAnswerBoundsTheTime(said: Int64, says: Int64) {
    let second: Int64 = 1_000_000
    let offset = DatabaseClock.bounded(
      (said - 102) * second, Timestamp(microseconds: 300 * second), asked: 100_000_000_000,
      answered: 102_000_000_000)
    #expect(offset + 102 * second == says * second)
  }

  @Test func aClockIsRightOnceTheDatabaseHasSaidItsTime() {
    let wall = Timestamp(microseconds: Monotonic.wallClockMicroseconds())
    let clock = DatabaseClock(
      startingAt: Timestamp(microseconds: wall.microseconds + 3_600_000_000))
    #expect(clock.now.microseconds >= wall.microseconds + 3_600_000_000)
    clock.hear(wall, asked: Monotonic.now(), answered: Monotonic.now())
    let elapsed = Monotonic.wallClockMicroseconds() - wall.microseconds
    #expect(clock.now.microseconds - wall.microseconds <= elapsed + 1_000_000)
  }

  /// Two instances over one database, one of which runs on a machine whose clock is an hour ahead:
  /// all that it writes down is of the database's time.
  @Test(.onOnePostgres, arguments: [Int64(3600), -3600])
  func whatAnInstanceWritesDownIsOfTheDatabasesTime(secondsAhead: Int64) async throws {
    let service = try await TestService.start(
      microsecondsAhead: secondsAhead * 1_000_000, webhookNetworks: ["127.0.0.0/8"])
    service.service.startDelivering()
    let app = try await service.app()
    let receiver = TestReceiver { _ in (500, []) }
    let made = try await app.admin.post(
      "\(app.path)/webhooks", ["url": .string(receiver.url())])
    let path = "\(app.path)/webhooks/\(made.json["id"].string ?? "")"
    _ = try await app.admin.post("\(path)/secret", ["overlap_seconds": 60])
    let id = Sample.id()
    _ = try await app.admin.put(app.installation(id), Sample.fullReport())
    _ = try await app.admin.post("\(app.installation(id))/claim-code", [:])
    try await eventually { try await app.admin.get(path).json["state"] == "failing" }

    // Nothing lies further ahead than the next attempt and the end of a secret, and nothing behind.
    let columns = try await service.database.query(
      """
      SELECT table_name, column_name FROM information_schema.columns
      JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
        AND data_type = 'timestamp with time zone'
        AND table_name <> 'schema_migration' AND column_name <> 'reported_at'
      """)
    #expect(columns.count > 30)
    var written = 0
    for row in columns {
      guard let table = row[0], let column = row[1] else { continue }
      let times = try await service.database.query(
        """
        SELECT count(*) FILTER (WHERE abs(extract(epoch FROM \(column) - now())) < 900),
          count(*) FROM \(table)
        WHERE \(column) IS NOT NULL AND isfinite(\(column)) AND \(column) <> 'epoch'
          AND \(column)::time <> '00:00'
        """)[0]
      #expect(times[0] == times[1], "\(table).\(column)")
      written += times[1] == "0" ? 0 : 1
    }
    #expect(written > 15)
    let seconds = Int64(receiver.all[0].fields["webhook-timestamp"] ?? "") ?? 0
    #expect(abs(seconds - Monotonic.wallClockMicroseconds() / 1_000_000) < 900)
    await service.stop()
  }

  /// The second attempt is due five seconds after the first, whoever made it.
  @Test func aDeliveryThatAClockAheadScheduledDoesNotWaitForThatClock() async throws {
    let first = try await TestService.start(
      microsecondsAhead: 3_600_000_000, webhookNetworks: ["127.0.0.0/8"])
    first.service.startDelivering()
    let app = try await first.app()
    let receiver = TestReceiver { _ in (500, []) }
    _ = try await app.admin.post("\(app.path)/webhooks", ["url": .string(receiver.url())])
    _ = try await app.admin.put(app.installation(Sample.id()), Sample.report())
    let tried = """
      SELECT last_attempt_at <= now() + interval '1 minute' FROM webhook_delivery
      WHERE attempts > 0
      """
    try await eventually { try await first.database.value(tried) != nil }
    #expect(try await first.database.value(tried) == "t")
    await first.stop()
    receiver.answers { _ in (200, []) }
    let second = try await TestService.start(
      database: first.database, microsecondsAhead: -3_600_000_000,
      webhookNetworks: ["127.0.0.0/8"])
    second.service.startDelivering()
    try await eventually {
      try await second.database.value("SELECT state FROM webhook_delivery") == "delivered"
    }
    await second.stop()
  }
}
