import AppTesting
import Foundation
import TestSupport
import Testing

/// Random operations at once on few installations and tokens, by three instances of the service on
/// one database, and then what must be true of any registry.
///
/// `POSTILION_CAMPAIGN_OPERATIONS=100000 POSTILION_CAMPAIGN_SEED=7 swift test --filter Campaign`
@Suite struct CampaignTests {
  private static let operations = environmentNumber("POSTILION_CAMPAIGN_OPERATIONS", 3000)
  private static let seed = UInt64(
    environmentNumber("POSTILION_CAMPAIGN_SEED", .random(in: 0...999_999)))
  private static let workers = 32

  @Test func whateverHappensAtOnceEveryTokenIsAccountedFor() async throws {
    print("campaign of \(Self.operations) operations, POSTILION_CAMPAIGN_SEED=\(Self.seed)")
    let first = try await TestService.start(loops: 2)
    let app = try await first.app()
    let services = [
      first, try await TestService.start(database: first.database, loops: 2),
      try await TestService.start(database: first.database, loops: 2),
    ]
    var workers = workers(app, services.map(\.port))
    // Plans are made without statistics at first. The scratch cluster does not vacuum by itself.
    let phases = max(2, Self.operations / 10_000)
    for _ in 0..<phases {
      workers = try await run(workers, Self.operations / Self.workers / phases)
      try await first.database.query("VACUUM ANALYZE")
    }
    let devices = workers.flatMap(\.devices)
    let stored = try await stored(devices, app)
    for service in services { await service.stop() }
    report(workers)
    for record in services.flatMap(\.log.records) where (record["status"].whole ?? 0) >= 500 {
      print(record)
    }
    #expect(workers.flatMap(\.faults) == [])
    try await check(devices, stored, first.database)
    #expect(try await first.database.deadlocks() == 0)
  }

  private func workers(_ app: TestApp, _ ports: [UInt16]) -> [CampaignWorker] {
    var random = SplitMix64(seed: Self.seed)
    let tokens = (0..<300).map { _ in
      (0..<4).map { _ in
        String(format: "%016lx", UInt64.random(in: 0...(.max), using: &random))
      }.joined()
    }
    let devices = (0..<200).map { number in
      CampaignDevice(
        id: String(format: "%08x-0000-4000-8000-%012x", random.next() as UInt64 >> 32, number),
        isClient: number % 5 == 0)
    }
    return (0..<Self.workers).map { worker in
      CampaignWorker(
        devices: devices.enumerated().filter { $0.offset % Self.workers == worker }.map(\.element),
        dice: CampaignDice(seed: random.next(), tokens: tokens), app: app, ports: ports)
    }
  }

  private func run(
    _ workers: [CampaignWorker], _ operations: Int
  ) async throws -> [CampaignWorker] {
    try await withThrowingTaskGroup { group in
      for worker in workers {
        group.addTask {
          try await blocking {
            var worker = worker
            try worker.run(operations)
            return worker
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// What the service shows of each device in the end.
  private func stored(_ devices: [CampaignDevice], _ app: TestApp) async throws -> [String: JSON] {
    var stored: [String: JSON] = [:]
    for device in devices {
      let reply = try await app.admin.get(app.installation(device.id))
      if reply.status == 200 { stored[device.id] = reply.json }
    }
    return stored
  }

  private func check(
    _ devices: [CampaignDevice], _ stored: [String: JSON], _ database: ScratchDatabase
  ) async throws {
    let replay = try await TokenReplay(database)
    print("\(replay.count) events, \(replay.held.count) tokens held")
    #expect(replay.contradictions == [])
    for device in devices {
      var shown = CampaignDevice(id: device.id, isClient: false)
      shown.acknowledged = stored[device.id]
      let isShown = stored[device.id].map(device.agrees) ?? (device.acknowledged == nil)
      let (told, held) = (device.profile ?? .absent, shown.profile ?? .absent)
      #expect(isShown, "\(told) was acknowledged last, and \(held) is stored")
      guard let acknowledged = device.acknowledged, let stored = stored[device.id] else { continue }
      for kind in ["apns", "voip"] {
        let (told, held) = (acknowledged["credentials"][kind], stored["credentials"][kind])
        guard told["token"] != held["token"] else { continue }
        let isExplained = replay.lost(
          told["token"].string ?? "", acknowledged["environment"].string ?? "", kind,
          by: device.id)
        #expect(
          held == .absent && isExplained, "\(device.id) \(kind) was \(told) and is \(held)")
      }
    }
    #expect(try await rows(Self.heldByInstallations, database) == replay.held)
    for (name, query) in Self.invariants {
      #expect(try await database.query(query) == [], "\(name)")
    }
  }

  private func rows(
    _ query: String, _ database: ScratchDatabase
  ) async throws -> Set<TokenReplay.Held> {
    Set(
      try await database.query(query).map { row in
        let texts = row.map { $0 ?? "" }
        return TokenReplay.Held(
          installation: texts[0], environment: texts[1], kind: texts[2], token: texts[3],
          status: texts[4])
      })
  }

  private func report(_ workers: [CampaignWorker]) {
    var answers: [String: Int] = [:]
    for worker in workers { answers.merge(worker.answers, uniquingKeysWith: +) }
    print(
      answers.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
  }

  private static let heldByInstallations = ["apns", "voip"].map { kind in
    """
    SELECT installation_id, environment, '\(kind)', encode(\(kind)_token, 'hex'), \(kind)_status
    FROM installation WHERE \(kind)_token IS NOT NULL
    """
  }.joined(separator: " UNION ALL ")

  /// Each finds nothing.
  private static let invariants: KeyValuePairs<String, String> = [
    "every token that is held has one row in the ledger, and the other way round":
      """
    WITH held AS (SELECT installation_id, environment, kind, token FROM (
        \(heldByInstallations)) AS x (installation_id, environment, kind, token, status)),
      owned AS (SELECT installation_id, environment, kind, encode(token, 'hex') FROM token_owner
        WHERE installation_id IS NOT NULL)
    (TABLE held EXCEPT ALL TABLE owned) UNION ALL (TABLE owned EXCEPT ALL TABLE held)
    """,
    "no token is held twice":
      """
    SELECT environment, kind, token FROM (\(heldByInstallations))
      AS x (installation_id, environment, kind, token, status)
    GROUP BY 1, 2, 3 HAVING count(*) > 1
    """,
    "the last event of each token says where it is":
      """
    WITH last AS (SELECT DISTINCT ON (environment, kind, token) * FROM token_history
        ORDER BY environment, kind, token, id DESC),
      told AS (SELECT environment, kind, encode(token, 'hex'), installation_id::text,
        CASE event WHEN 'invalidated' THEN 'invalid' WHEN 'quarantined' THEN 'quarantined'
          ELSE 'active' END
        FROM last WHERE event NOT IN ('replaced', 'removed')),
      held AS (SELECT environment, kind, token, installation_id::text, status
        FROM (\(heldByInstallations)) AS x (installation_id, environment, kind, token, status))
    (TABLE held EXCEPT ALL TABLE told) UNION ALL (TABLE told EXCEPT ALL TABLE held)
    """,
    "no event is there twice":
      """
    SELECT environment, kind, token, installation_id, event, at, reason FROM (
      SELECT *, lag(event) OVER each AS before, lag(installation_id) OVER each AS whose
      FROM token_history WINDOW each AS (PARTITION BY environment, kind, token ORDER BY id)) AS x
    WHERE event = before AND installation_id = whose
    """,
  ]
}
