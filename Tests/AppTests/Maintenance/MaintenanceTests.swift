import AppTesting
import EventLoop
import Postgres
import Synchronization
import Testing

@testable import App
@testable import Registry

/// What the service does to its tables by itself.
@Suite struct MaintenanceTests {
  /// A clock that stands until it is set.
  private final class Clock: Sendable {
    private let time: Mutex<Timestamp>
    init(_ text: String) throws { time = Mutex(try #require(Timestamp(rfc3339: text))) }
    var now: Timestamp { time.withLock { $0 } }
    func set(_ text: String) throws {
      let new = try #require(Timestamp(rfc3339: text))
      time.withLock { $0 = new }
    }
  }

  private final class Flag: Sendable { let isSet = Atomic(false) }

  private static let tables = [
    "token_history", "app_history", "registration_failure", "audit_log",
  ]

  /// The partitions of a table and their rows, the default one last.
  private func partitions(
    of table: String, in service: TestService
  ) async throws -> [String: String] {
    let names = try await service.database.query(
      "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = '\(table)'::regclass")
    var rows: [String: String] = [:]
    for case let name? in names.map(\.[0]) {
      rows[String(name.dropFirst(table.count + 1))] =
        try await service.database.value("SELECT count(*) FROM \(name)") ?? "?"
    }
    return rows
  }

  private func start(
    _ time: String = "2026-11-21T20:00:00Z"
  ) async throws -> (service: TestService, clock: Clock) {
    let clock = try Clock(time)
    // Partitions are the owner's.
    let database = try await ScratchCluster.database()
    let service = try await TestService.start(
      database: database, conninfo: database.owner, clock: { clock.now })
    return (service, clock)
  }

  @Test func eachMonthGetsItsPartitionAndItsRows() async throws {
    let (service, clock) = try await start()
    let app = try await service.app()
    func happens() async throws {
      _ = try await app.client.put(app.installation(Sample.id()), Sample.report())
      _ = try await app.client.post(
        "\(app.path)/failures", ["kind": "apns", "error": ["domain": "d", "code": 1]])
    }
    try await happens()
    let history = "SELECT string_agg(h::text, ' ' ORDER BY id) FROM token_history AS h"
    let before = try await service.database.value(history)
    #expect(try await partitions(of: "token_history", in: service) == ["default": "1"])

    let first = try await service.maintain()
    #expect(
      first?.done
        == Self.tables.flatMap { table in
          ["2026_11", "2026_12", "2027_01"].map { "made \(table)_\($0)" }
        })
    #expect(first?.failed == [])
    for table in ["token_history", "registration_failure"] {
      #expect(
        try await partitions(of: table, in: service)
          == ["2026_11": "1", "2026_12": "0", "2027_01": "0", "default": "0"])
    }
    #expect(try await service.database.value(history) == before, "the rows are as they were")
    #expect(try await service.maintain() == MaintenanceReport(), "there is nothing more to do")

    try clock.set("2027-01-31T23:59:59.999Z")
    try await happens()
    try clock.set("2027-04-01T00:00:00Z")
    try await happens()
    #expect(try await service.maintain()?.done.count == 12)
    #expect(
      try await partitions(of: "token_history", in: service) == [
        "2026_11": "1", "2026_12": "0", "2027_01": "1", "2027_04": "1", "2027_05": "0",
        "2027_06": "0", "default": "0",
      ])

    // Thirteen months and no less.
    try clock.set("2027-12-31T23:59:59Z")
    _ = try await service.maintain()
    #expect(try await partitions(of: "audit_log", in: service)["2026_11"] != nil)
    try clock.set("2028-01-01T00:00:00Z")
    let last = try await service.maintain()
    #expect(last?.done.contains("dropped token_history_2026_11") == true)
    #expect(try await partitions(of: "token_history", in: service)["2026_11"] == nil)
    #expect(
      try await service.database.value("SELECT count(*) FROM token_history") == "2",
      "what is younger stays")
    await service.stop()
  }

  /// A partition is what the migrations would have made of it.
  @Test func aPartitionHasTheConstraintsAndIndexesOfItsTable() async throws {
    let (service, _) = try await start()
    _ = try await service.maintain()
    for table in Self.tables {
      func shape(_ name: String) async throws -> String? {
        try await service.database.value(
          """
          SELECT string_agg(line, E'\\n' ORDER BY line) FROM (
            SELECT pg_get_constraintdef(oid) AS line FROM pg_constraint
            WHERE conrelid = '\(table)_\(name)'::regclass
            UNION ALL
            SELECT regexp_replace(pg_get_indexdef(indexrelid), '^.* USING ', '') FROM pg_index
            WHERE indrelid = '\(table)_\(name)'::regclass
          ) AS lines
          """)
      }
      #expect(try await shape("2026_12") == shape("default"), "\(table)")
    }
    await service.stop()
  }

  @Test func whatNoMonthHasGoesWhenItIsOld() async throws {
    let (service, _) = try await start()
    try await service.database.query(
      """
      INSERT INTO token_history (app_id, installation_id, at, environment, kind, token, event,
        source)
      SELECT 1, gen_random_uuid(), '2025-10-01T00:00:00Z'::timestamptz
          + make_interval(secs => CASE WHEN n <= 12000 THEN -n ELSE n END),
        'production', 'apns', '\\x00', 'registered', 'app'
      FROM generate_series(1, 12003) AS n
      """)
    #expect(
      try await service.maintain()?.done.contains("removed 12000 old events of tokens") == true)
    #expect(try await partitions(of: "token_history", in: service)["default"] == "3")
    await service.stop()
  }

  @Test func sightingsOfInstallationsThatAreGoneGo() async throws {
    let (service, clock) = try await start()
    let app = try await service.app()
    let ids = [Sample.id(), Sample.id()]
    for id in ids { _ = try await app.admin.put(app.installation(id), Sample.fullReport()) }
    try clock.set("2026-11-20T20:01:00Z")
    for id in ids { _ = try await app.admin.put(app.installation(id), Sample.fullReport()) }
    let count = "SELECT count(*) FROM sighting"
    try await eventually { try await service.database.value(count) == "2" }
    _ = try await app.admin.delete(app.installation(ids[0]))
    #expect(try await service.database.value(count) == "2")
    #expect(
      try await service.maintain()?.done.contains(
        "removed 1 sightings of installations that are gone") == true)
    #expect(
      try await service.database.value("SELECT installation_id FROM sighting") == ids[1])
  }

  /// The row is left over when maintenance reads it, and that of a new installation before
  /// maintenance can lock it.
  @Test func theSightingOfAnInstallationThatIsMadeMeanwhileStays() async throws {
    let (service, _) = try await start()
    let id = Sample.id()
    try await service.database.query(
      "INSERT INTO sighting (app_id, installation_id, revision) VALUES (1, '\(id)', 1)")
    let session = try await ScratchSession(service.database)
    try await session.query("BEGIN; UPDATE sighting SET revision = 1000001, reported_at = now()")
    async let report = service.maintain()
    try await eventually {
      try await service.database.value(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted") == "1"
    }
    try await session.query("COMMIT")
    #expect(try await report?.failed == [])
    #expect(try await service.database.value("SELECT revision FROM sighting") == "1000001")
    await service.stop()
  }

  @Test func tokensWithoutAnOwnerGoAfterAMonth() async throws {
    let (service, clock) = try await start()
    let app = try await service.app()
    let (left, kept) = (Sample.id(), Sample.id())
    for id in [left, kept] {
      _ = try await app.admin.put(app.installation(id), Sample.fullReport())
    }
    _ = try await app.admin.delete(app.installation(left))
    let count = "SELECT count(*) FROM token_owner"
    try clock.set("2026-12-21T19:59:59Z")
    _ = try await service.maintain()
    #expect(try await service.database.value(count) == "4")
    try clock.set("2026-12-21T20:00:01Z")
    #expect(try await service.maintain()?.done == ["removed 2 old tokens without an owner"])
    #expect(try await service.database.value(count) == "2")
    #expect(try await app.admin.get(app.installation(kept)).status == 200)
    await service.stop()
  }

  /// Registrations go on while the month's rows move from under them.
  @Test func registrationsGoOn() async throws {
    let (service, _) = try await start()
    let app = try await service.app()
    try await service.database.query(
      """
      INSERT INTO token_history (app_id, installation_id, at, environment, kind, token, event,
        source)
      SELECT 1, gen_random_uuid(), '2026-11-01T00:00:00Z', 'production', 'apns', '\\x00',
        'registered', 'app'
      FROM generate_series(1, 5000)
      """)
    let done = Flag()
    let statuses = try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 0..<8 {
        group.addTask {
          var statuses: [Int] = []
          while !done.isSet.load(ordering: .relaxed) {
            let report = Sample.report()
            statuses.append(try await app.admin.put(app.installation(Sample.id()), report).status)
          }
          return statuses
        }
      }
      let report = try await service.maintain()
      done.isSet.store(true, ordering: .relaxed)
      #expect(report?.failed == [])
      #expect(report?.done.first == "made token_history_2026_11")
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(statuses) == [201])
    #expect(
      try await partitions(of: "token_history", in: service)
        == ["2026_11": "\(5000 + statuses.count)", "2026_12": "0", "2027_01": "0", "default": "0"])
    await service.stop()
  }

  /// A reader holds the table for longer than its lock is waited for.
  /// The reader lets go once an attempt has been in vain.
  @Test func aLockThatIsTakenIsTriedForAgain() async throws {
    let (service, _) = try await start()
    async let reader = try? service.database.query(
      "BEGIN; SELECT FROM audit_log_default; SELECT pg_sleep(600); COMMIT")
    try await eventually {
      try await service.database.value(
        """
        SELECT count(*) FROM pg_locks JOIN pg_database AS here ON here.oid = database
        WHERE datname = current_database() AND relation = 'audit_log_default'::regclass
        """) != "0"
    }
    let pauses = Mutex(0)
    let report = try await service.maintain {
      pauses.withLock { $0 += 1 }
      _ = try? await service.database.query(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%pg_sleep(600)%'
          AND pid <> pg_backend_pid()
        """)
    }
    _ = await reader
    #expect(report?.failed == [])
    #expect(report?.done.count == 12)
    #expect(pauses.withLock { $0 } > 0)
    await service.stop()
  }

  @Test func oneInstanceIsAtItAtATime() async throws {
    let (service, _) = try await start()
    let other = try await TestService.start(
      database: service.database, conninfo: service.database.owner)
    let context = service.service.contexts[0]
    let result = await context.loop.run { () -> Result<MaintenanceReport??, any Error> in
      do {
        return .success(
          try await context.database.exclusively(lease: MaintenanceReport.lease, waits: false) {
            _ in
            try await other.maintain()
          })
      } catch { return .failure(error) }
    }
    let nested = try result.get()
    #expect(nested == .some(.none), "the other one passes")
    #expect(try await other.maintain()?.failed == [])
    await other.stop()
    await service.stop()
  }
}

extension TestService {
  /// Runs maintenance, as the service does once a day.
  /// - Parameter pause: What happens between two attempts at a lock, instead of a pause.
  func maintain(
    pause: (@Sendable () async -> Void)? = nil
  ) async throws -> MaintenanceReport? {
    var maintenance = service.maintenance
    maintenance.pause = pause ?? maintenance.pause
    let run = maintenance
    return try await run.context.loop.run { () -> Result<MaintenanceReport?, any Error> in
      do { return .success(try await run.run()) } catch { return .failure(error) }
    }.get()
  }
}
