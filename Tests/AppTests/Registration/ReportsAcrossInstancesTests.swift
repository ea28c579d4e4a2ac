import AppTesting
import Foundation
import Testing

/// Reports of one installation, and answers of APNs about it, through three instances over one
/// database, whose machines have clocks that are two minutes apart, and of which one after the
/// other is started anew: the newest report wins, and no answer from before a report counts.
///
/// `make report-races` is the campaign, `POSTILION_REPORT_RACES` the number of races; a short one
/// is part of each run of the tests.
@Suite(.serialized) struct ReportsAcrossInstancesTests {
  private static let races =
    ProcessInfo.processInfo.environment["POSTILION_REPORT_RACES"].flatMap { Int($0) } ?? 300
  private static let batch = 100

  /// Three instances, and an app that all serve.
  private final class Trio: @unchecked Sendable {
    let first: TestService
    var services: [TestService]
    let app: TestApp

    init() async throws {
      first = try await TestService.start(loops: 2)
      app = try await first.app(.inProcess)
      services = [first]
      for number in 1...2 { services.append(try await start(number)) }
    }

    /// By two minutes one is ahead, and the other behind.
    private func start(_ number: Int) async throws -> TestService {
      try await TestService.start(
        database: first.database, loops: 2,
        microsecondsAhead: [0, 120_000_000, -120_000_000][number])
    }

    func restart(_ number: Int) async throws {
      await services[number].stop()
      services[number] = try await start(number)
    }

    private func sender(_ race: Race, _ place: Int) -> Client {
      services[race.order[place]].app(like: app).sender
    }

    /// Sends a report through the instance that has a place in the order of a race.
    func put(_ report: JSON, of race: Race, through place: Int) async throws -> Reply {
      try await sender(race, place).put(app.installation(race.id), report)
    }

    /// What is decided on an answer of APNs.
    func answer(_ race: Race, _ dead: Int64, through place: Int) async throws -> String {
      let results: [JSON] = [
        result(race.token, "Unregistered", ["timestamp": .number(Double(dead))])
      ]
      let reply = try await sender(race, place).post(
        "\(app.path)/feedback", ["results": .array(results)])
      return reply.decisions.first ?? "\(reply.status)"
    }

    func stop() async { for service in services { await service.stop() } }
  }

  private struct Race: Sendable {
    let id = Sample.id()
    let token = Sample.token()
    /// By whom it is reported, who is late, and who hears of it later.
    let order = [0, 1, 2].shuffled()

    /// What the device says at a time.
    func report(_ time: String, _ locale: String) -> JSON {
      var report = Sample.report(token)
      report["reported_at"] = .string(time)
      report["locale"] = .string(locale)
      return report
    }

    var first: JSON { report("2026-05-02T19:40:00.000Z", "en_HK") }
    var older: JSON { report("2026-05-02T19:41:00.000Z", "fr_FR") }
    var newer: JSON { report("2026-05-02T19:42:00.000Z", "en_HK") }
  }

  @Test func theNewestReportWinsAndNoOlderAnswerCounts() async throws {
    let trio = try await Trio()
    var tally: [String: Int] = [:]
    var violations: [String] = []
    for start in stride(from: 0, to: Self.races, by: Self.batch) {
      let races = (start..<min(start + Self.batch, Self.races)).map { _ in Race() }
      try await run(races, trio, number: start / Self.batch, &tally, &violations)
    }
    await trio.stop()
    print("report races: \(Self.races), \(tally.sorted { $0.key < $1.key })")
    #expect(violations == [])
  }

  private func run(
    _ races: [Race], _ trio: Trio, number: Int, _ tally: inout [String: Int],
    _ violations: inout [String]
  ) async throws {
    let created = try await each(races) { race in
      "\(try await trio.put(race.first, of: race, through: 0).status)"
    }
    #expect(Set(created) == ["201"])
    // Between the two, and surely so: an instance knows the time to the length of a round trip.
    let database = trio.first.database
    let dead = try await milliseconds(database) + 500
    try await eventually { try await milliseconds(database) > dead + 500 }
    // What changes nothing, what is older and changes something, and an answer from before both.
    let atOnce = try await each(races) { race in
      async let newer = trio.put(race.newer, of: race, through: 0)
      async let older = trio.put(race.older, of: race, through: 1)
      async let decision = trio.answer(race, dead, through: 2)
      let (told, status) = (try await older.json["applied"] == true, try await newer.status)
      return "at once: \(status), older \(told ? "" : "not ")applied, \(try await decision)"
    }
    for outcome in atOnce { tally[outcome, default: 0] += 1 }
    if number % 3 == 0 {
      for number in 1...2 { try await trio.restart(number) }
    }
    violations += try await unsettled(races, trio, dead)

    let later = try await each(races) { race in
      let decision = try await trio.answer(race, dead, through: 1)
      let told = try await trio.put(race.older, of: race, through: 2).json["applied"] == true
      return "later: older \(told ? "" : "not ")applied, \(decision)"
    }
    for outcome in later { tally[outcome, default: 0] += 1 }
    violations += later.filter { $0 != "later: older not applied, ignored_newer_registration" }
    violations += try await unsettled(races, trio, dead)
  }

  /// The races that have not ended with what was reported last. Each answer is written by then.
  private func unsettled(
    _ races: [Race], _ trio: Trio, _ dead: Int64
  ) async throws -> [String] {
    let ids = races.map { "'\($0.id)'" }.joined(separator: ", ")
    return try await trio.first.database.query(
      """
      SELECT installation_id || ' ' || locale || ' ' || apns_status
      FROM installation AS i LEFT JOIN sighting AS s USING (app_id, installation_id)
      WHERE installation_id IN (\(ids)) AND (locale <> 'en_HK' OR apns_status <> 'active'
        OR greatest(i.reported_at, s.reported_at) <> '2026-05-02T19:42:00Z'
        OR greatest(i.apns_presented_at, s.apns_presented_at)
          <= to_timestamp(\(dead) / 1000.0))
      """
    ).map { $0[0] ?? "" }
  }

  @discardableResult
  private func each(
    _ races: [Race], _ body: @escaping @Sendable (Race) async throws -> String
  ) async throws -> [String] {
    var outcomes: [String] = []
    for start in stride(from: 0, to: races.count, by: 20) {
      outcomes += try await withThrowingTaskGroup { group in
        for race in races[start...].prefix(20) { group.addTask { try await body(race) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    return outcomes
  }

  // MARK: One after the other

  /// The others know of a report that changed nothing as soon as it is answered, also if its
  /// instance ends then without a word.
  @Test func aReportThatChangedNothingIsKnownOnceItIsAnswered() async throws {
    let first = try await TestService.start()
    let app = try await first.app(.inProcess)
    let second = try await TestService.start(database: first.database)
    let race = Race()
    let path = app.installation(race.id)
    #expect(try await app.sender.put(path, race.first).status == 201)
    let start = try await milliseconds(first.database)
    try await eventually { try await milliseconds(first.database) > start + 1000 }
    #expect(try await app.sender.put(path, race.newer).status == 200)

    let other = second.app(like: app)
    #expect(
      try await other.decisions([
        result(race.token, "Unregistered", ["timestamp": .number(Double(start + 500))])
      ]) == ["ignored_newer_registration"])
    #expect(try await other.sender.put(path, race.older).json["applied"] == false)
    #expect(try await other.sender.get(path).json["locale"] == "en_HK")
    // One that is dead since then is dead.
    #expect(try await other.decisions([result(race.token, "Unregistered")]) == ["invalidated"])
    #expect(try await other.sender.delete(path).status == 204)
    await first.stop()
    await second.stop()
  }

  /// A launch that changes nothing writes one narrow row, in its place, and none of its
  /// installation.
  @Test func aReportThatChangesNothingWritesOneNarrowRow() async throws {
    let service = try await TestService.start()
    let app = try await service.app(.inProcess)
    let races = (0..<50).map { _ in Race() }
    func launch() async throws -> Set<String> {
      Set(
        try await each(races) { race in
          "\(try await app.sender.put(app.installation(race.id), race.first).status)"
        })
    }
    #expect(try await launch() == ["201"])
    func value(_ sql: String) async throws -> String? { try await service.database.value(sql) }
    let rows = "SELECT string_agg(xmin::text, ' ' ORDER BY installation_id) FROM installation"
    let before = try await value(rows)
    for launches in 1...3 {
      let start = try await value("SELECT clock_timestamp()") ?? ""
      #expect(try await launch() == ["200"])
      let seen = """
        SELECT bool_and(apns_presented_at > '\(start)'::timestamptz - interval '1 ms')
          AND count(*) = 50 FROM sighting
        """
      #expect(try await value(seen) == "t", "launch \(launches)")
      #expect(try await value(rows) == before, "launch \(launches)")
    }
    await service.stop()
  }

  /// A database that takes nothing, and what mends it.
  private static let harms = [
    (
      """
      CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN RAISE disk_full; END';
      CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON sighting
        FOR EACH ROW EXECUTE FUNCTION full_disk()
      """, "DROP TRIGGER full_disk ON sighting"
    ),
    (
      set("ON"), "BEGIN READ WRITE; \(set("OFF")); COMMIT"
    ),
  ]

  /// Makes all new sessions of the database read only, and ends the others.
  private static func set(_ isReadOnly: String) -> String {
    """
    DO $$BEGIN
      EXECUTE format(
        'ALTER DATABASE %I SET default_transaction_read_only = \(isReadOnly)', current_database());
    END$$;
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
    """
  }

  /// A report that changes nothing is refused like any other if it cannot be written, and counts
  /// if it was acknowledged.
  @Test(.onOnePostgres, arguments: harms)
  func aReportThatCannotBeWrittenIsNotAcknowledged(harm: String, mended: String) async throws {
    let service = try await TestService.start()
    let app = try await service.app(.inProcess)
    let race = Race()
    let path = app.installation(race.id)
    #expect(try await app.sender.put(path, race.first).status == 201)
    try await service.database.query(harm)
    for _ in 1...5 { #expect(try await app.sender.put(path, race.newer).status == 503) }
    try await service.database.query(mended)
    try await eventually { try await app.sender.put(path, race.newer).status == 200 }
    #expect(try await app.sender.put(path, race.older).json["applied"] == false)
    await service.stop()
  }

  private func milliseconds(_ database: ScratchDatabase) async throws -> Int64 {
    let value = try await database.value(
      "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint")
    return value.flatMap { Int64($0) } ?? 0
  }
}
