import AppTesting
import Testing

@testable import App

/// Installations that have not called for long.
@Suite struct PurgeStaleTests {
  private func age(_ ids: [String], days: Int, of app: TestApp) async throws {
    try await app.service.database.query(
      """
      UPDATE installation SET last_seen_at = last_seen_at - make_interval(days => \(days))
      WHERE installation_id = ANY ('{\(ids.joined(separator: ","))}')
      """)
  }

  @Test(.onOnePostgres, arguments: Transport.allCases)
  func theyAreCountedAndThenDeletedWithTheirTokens(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = "\(app.path)/installations/purge"
    let ids = [Sample.id(), Sample.id(), Sample.id()]
    for (id, report) in zip(ids, [Sample.fullReport(), Sample.report(), Sample.report()]) {
      _ = try await app.admin.put(app.installation(id), report)
    }
    try await age([ids[0], ids[1]], days: 91, of: app)
    try await age([ids[2]], days: 90, of: app)
    let counts: JSON = ["installations": 2, "tokens": 3]
    #expect(
      try await app.admin.post(path + "?dry_run=true", ["stale_after_days": 90]).json
        == ["dry_run": true, "installations": 2, "tokens": 3])
    #expect(try await app.stored() == "3 4 0 0")
    #expect(try await app.admin.post(path, ["stale_after_days": 90]).json == counts)
    #expect(try await app.stored() == "1 1 0 0")
    #expect(try await app.admin.get(app.installation(ids[2])).status == 200)
    #expect(
      try await app.service.database.value(
        """
        SELECT string_agg(DISTINCT concat_ws(' ', event, source, reason), ',') FROM token_history
        WHERE installation_id = ANY ('{\(ids.joined(separator: ","))}') AND event <> 'registered'
        """) == "removed maintenance stale")
    #expect(
      try await app.admin.post(path, ["stale_after_days": 90]).json
        == ["installations": 0, "tokens": 0])
  }

  @Test(
    .onOnePostgres,
    arguments: Transport.allCases,
    [
      ([:], "/stale_after_days missing_field"),
      (["stale_after_days": 0], "/stale_after_days out_of_range"),
      (["stale_after_days": 3651], "/stale_after_days out_of_range"),
      (["stale_after_days": "90"], "/stale_after_days wrong_type"),
      (["stale_after_days": 90, "dry_run": true], "/dry_run unknown_field"),
    ] as [(JSON, String)])
  func anOrderThatIsWrongDeletesNothing(transport: Transport, row: (JSON, String)) async throws {
    let app = try await TestApp.make(transport)
    let id = Sample.id()
    _ = try await app.admin.put(app.installation(id), Sample.report())
    try await age([id], days: 5000, of: app)
    let reply = try await app.admin.post("\(app.path)/installations/purge", row.0)
    #expect(reply.status == 422)
    #expect(reply.faults == [row.1])
    #expect(try await app.stored() == "1 1 0 0")
  }

  @Test(.onOnePostgres) func anAppsPolicyIsAppliedByMaintenance() async throws {
    let service = try await TestService.start()
    let (app, other) = (try await service.app(), try await service.app())
    let ids = (0..<600).map { _ in Sample.id() }
    for id in ids { _ = try await app.admin.put(app.installation(id), Sample.report()) }
    let kept = Sample.id()
    _ = try await other.admin.put(other.installation(kept), Sample.report())
    try await age(ids + [kept], days: 31, of: app)
    #expect(try await service.maintain()?.done.contains { $0.contains("stale") } == false)
    try await service.database.query(
      "UPDATE app SET stale_after_days = 30 WHERE slug = '\(app.slug)'")
    #expect(
      try await service.maintain()?.done == ["removed 600 stale installations of \(app.slug)"])
    #expect(try await app.stored() == "0 0 0 0")
    #expect(try await other.stored() == "1 1 0 0")
    await service.stop()
  }

  /// Whoever was told that its report is taken is there afterwards.
  @Test(.onOnePostgres) func aDeviceThatCallsMeanwhileStays() async throws {
    let service = try await TestService.start(loops: 2, connections: 3)
    let app = try await service.app()
    let devices = (0..<400).map { _ in (id: Sample.id(), report: Sample.report()) }
    for device in devices {
      _ = try await app.admin.put(app.installation(device.id), device.report)
    }
    for round in 0..<3 {
      try await age(devices.map(\.id), days: 100, of: app)
      try await withThrowingTaskGroup { group in
        group.addTask {
          let reply = try await app.admin.post(
            "\(app.path)/installations/purge", ["stale_after_days": 90])
          #expect(reply.status == 200)
        }
        for part in 0..<8 {
          group.addTask {
            for device in devices.enumerated() where device.offset % 8 == part {
              let reply = try await app.admin.put(
                app.installation(device.element.id), device.element.report)
              #expect(reply.status == 200 || reply.status == 201)
            }
          }
        }
        try await group.waitForAll()
      }
      let stored = try await app.stored()
      #expect(stored == "400 400 0 0", "round \(round)")
    }
    await service.stop()
  }
}
