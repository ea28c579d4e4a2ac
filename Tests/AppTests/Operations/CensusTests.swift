import AppTesting
import EventLoop
import Testing

@testable import App

/// What the metrics say of the registry as a whole.
@Suite struct CensusTests {
  /// The value of a series; `nil` when it is not exported.
  private func value(_ series: String, _ service: TestService) async throws -> Int? {
    let text = try await service.client(key: nil).get("/metrics").text
    return text.split(separator: "\n").first { $0.hasPrefix("\(series) ") }
      .flatMap { Int($0.dropFirst(series.count + 1)) }
  }

  @Test func tokensAreCountedByKindAndStatus() async throws {
    let service = try await TestService.start()
    let active = #"postilion_tokens{kind="apns",status="active"}"#
    #expect(try await value(active, service) == nil)
    #expect(try await value("postilion_census_timestamp_seconds", service) == 0)
    for tokens in [2, 1] {
      let app = try await service.app()
      for _ in 0..<tokens {
        #expect(
          try await app.client.put(app.installation(Sample.id()), Sample.fullReport()).status == 201
        )
      }
    }
    let gone = try await service.app()
    _ = try await gone.client.put(gone.installation(Sample.id()), Sample.fullReport())
    #expect(try await gone.admin.delete(gone.path).status == 204)
    try await service.database.query(
      """
      UPDATE installation SET voip_status = 'invalid', voip_invalidated_at = now(), voip_reason = ''
      WHERE installation_id = (
        SELECT installation_id FROM installation JOIN app ON app.id = app_id
        WHERE deleted_at IS NULL LIMIT 1)
      """)
    await service.takeCensus()
    #expect(try await value(active, service) == 3)
    #expect(try await value(#"postilion_tokens{kind="voip",status="active"}"#, service) == 2)
    #expect(try await value(#"postilion_tokens{kind="voip",status="invalid"}"#, service) == 1)
    #expect(try await value(#"postilion_tokens{kind="apns",status="quarantined"}"#, service) == 0)
    let time = try #require(try await value("postilion_census_timestamp_seconds", service))
    #expect(time > 1_700_000_000)
    await service.stop()
  }

  @Test func openBreakersAreCountedUntilTheyClose() async throws {
    let service = try await TestService.start()
    let app = try await service.app()
    func open(_ environment: String, refused minutes: Int) async throws {
      try await service.database.query(
        """
        INSERT INTO feedback_breaker (app_id, environment, refused, refused_at, accepted,
          accepted_before, accepted_since, opened_at, last_refused_at)
        SELECT id, '\(environment)', '{}', '{}', 0, 0, now(), now() - interval '1 hour',
          now() - interval '\(minutes) minutes'
        FROM app WHERE slug = '\(app.slug)'
        """)
    }
    try await open("production", refused: 0)
    try await open("sandbox", refused: 11)
    await service.takeCensus()
    for (environment, count) in [("production", 1), ("sandbox", 0)] {
      let series = "postilion_feedback_breakers_open{environment=\"\(environment)\"}"
      #expect(try await value(series, service) == count)
    }
    await service.stop()
  }

  @Test func aCensusThatFailsLeavesTheLastOne() async throws {
    let service = try await TestService.start()
    await service.takeCensus()
    try await service.database.query("ALTER TABLE feedback_breaker RENAME TO elsewhere")
    await service.takeCensus()
    #expect(service.log.records.contains { $0["event"] == "census_failed" })
    #expect(try await value(#"postilion_tokens{kind="apns",status="active"}"#, service) == 0)
    await service.stop()
  }

  @Test func whatMayHappenIsExportedFromTheStart() async throws {
    let service = try await TestService.start()
    for series in [
      #"postilion_database_failures_total{kind="connect_failed"}"#,
      #"postilion_database_failures_total{kind="disconnected"}"#,
      #"postilion_database_failures_total{kind="overloaded"}"#,
      #"postilion_embedded_database_total{event="gave_up"}"#,
      #"postilion_registration_failures_total{kind="apns"}"#,
      #"postilion_registration_failures_total{kind="voip"}"#,
      #"postilion_registration_failures_total{kind="authorization"}"#,
      #"postilion_feedback_breaker_total{event="opened"}"#,
      #"postilion_renders_total{mode="server"}"#, #"postilion_http_timeouts_total{phase="head"}"#,
    ] {
      #expect(try await value(series, service) == 0, "\(series)")
    }
    let build = "postilion_build_info{version=\"\(Service.version)\"}"
    #expect(try await value(build, service) == 1)
    let app = try await service.app()
    let failure: JSON = ["kind": "voip", "error": ["domain": "PushKit", "code": 1]]
    #expect(try await app.client.post("\(app.path)/failures", failure).status == 201)
    #expect(
      try await value(#"postilion_registration_failures_total{kind="voip"}"#, service) == 1)
    await service.stop()
  }
}

extension TestService {
  /// Counts the registry, as the service does now and then.
  func takeCensus() async {
    let service = service
    await service.contexts[0].loop.run { await service.takeCensus() }
  }

  /// Counts for those that accept older counts, as the service does now and then.
  func countAhead() async {
    let service = service
    await service.contexts[0].loop.run { await service.countAhead() }
  }
}
