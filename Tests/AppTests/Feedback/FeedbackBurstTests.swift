import AppTesting
import DeviceProfile
import EventLoop
import Testing

@testable import App
@testable import Registry

/// Many refusals at once are the sender's mistake, and take nothing out of use.
@Suite struct FeedbackBurstTests {
  /// A service, and an app in it with as many registered tokens.
  private func make(
    _ transport: Transport, tokens count: Int
  ) async throws -> (FeedbackService, TestApp, [String]) {
    let shared = try await FeedbackService()
    let app = try await shared.service.app(transport)
    let tokens = (0..<count).map { _ in Sample.token() }
    try await withThrowingTaskGroup { group in
      for token in tokens { group.addTask { try await app.register(token) } }
      try await group.waitForAll()
    }
    return (shared, app, tokens)
  }

  /// The numbers of installations by the status of their token.
  private func statuses(_ app: TestApp) async throws -> [String] {
    try await app.service.database.query(
      """
      SELECT apns_status || ' ' || count(*) FROM installation JOIN app ON app.id = app_id
      WHERE slug = '\(app.slug)' GROUP BY apns_status ORDER BY 1
      """
    ).map { $0[0] ?? "" }
  }

  private func state(_ app: TestApp) async throws -> [String] {
    try await app.sender.get("\(app.path)/feedback/breakers").json["items"].elements.map {
      "\($0["environment"].string ?? "") \($0["state"].string ?? "")"
    }
  }

  @Test(arguments: Transport.allCases, ["BadDeviceToken", "DeviceTokenNotForTopic"])
  func aBurstInOneCallQuarantinesNothing(transport: Transport, reason: String) async throws {
    let (shared, app, tokens) = try await make(transport, tokens: 100)
    #expect(try await state(app) == ["production closed", "sandbox closed"])
    let reply = try await app.report(tokens.map { result($0, reason) })
    #expect(reply.json["no_action"] == 100)
    #expect(Set(reply.decisions) == ["no_action breaker_open"])
    #expect(try await statuses(app) == ["active 100"])
    #expect(try await state(app) == ["production open", "sandbox closed"])

    // A dead token is dead nevertheless.
    #expect(try await app.decisions([result(tokens[0], "Unregistered")]) == ["invalidated"])
    await shared.service.stop()
  }

  @Test(arguments: Transport.allCases)
  func whatABurstHadTakenBeforeIsRestored(transport: Transport) async throws {
    let (shared, app, tokens) = try await make(transport, tokens: 30)
    // gorush reports one by one.
    for token in tokens.prefix(19) {
      #expect(try await app.decisions([result(token, "BadDeviceToken")]) == ["quarantined"])
    }
    #expect(try await statuses(app) == ["active 11", "quarantined 19"])
    // The same again is no news.
    #expect(
      try await app.decisions(tokens.prefix(19).map { result($0, "BadDeviceToken") })
        == Array(repeating: "no_action already_quarantined", count: 19))
    #expect(try await state(app) == ["production closed", "sandbox closed"])

    for token in tokens.suffix(11) {
      #expect(
        try await app.decisions([result(token, "BadDeviceToken")]) == ["no_action breaker_open"])
    }
    #expect(try await statuses(app) == ["active 30"])
    #expect(try await app.feedbackEvents(of: tokens[0]) == ["quarantined", "restored"])
    #expect(try await app.feedbackEvents(of: tokens[29]) == [])
    #expect(try await app.status(of: tokens[0]) == "active")
    await shared.service.stop()
  }

  /// All at the same time, so that some are taken out of use while another opens the breaker.
  @Test func callsThatRaceTakeNothingOutOfUse() async throws {
    let (shared, app, tokens) = try await make(.socket, tokens: 200)
    try await withThrowingTaskGroup { group in
      for token in tokens {
        group.addTask { _ = try await app.decisions([result(token, "BadDeviceToken")]) }
      }
      try await group.waitForAll()
    }
    #expect(try await statuses(app) == ["active 200"])
    await shared.service.stop()
  }

  /// The first is alone; those that come at once behind it go together.
  @Test func refusalsThatComeTogetherAreOneTransaction() async throws {
    let (shared, app, _) = try await make(.inProcess, tokens: 0)
    let service = shared.service.service
    let slug = try #require(AppSlug(app.slug))
    let appID = try #require(service.shared.directory.snapshot.apps[slug]?.id)
    let context = service.contexts[0]
    let tokens = try (0..<40).map { _ in try DeviceToken(parsing: Sample.token()) }
    let now = shared.clock.now
    let rulings = try await context.loop.run {
      await Result {
        @Sendable func report(_ token: DeviceToken) async throws -> FeedbackBreaker.Ruling {
          try await service.features.feedback.breakers.report(
            .init(appID: appID, environment: .production), refused: [token], accepted: 0,
            at: now, in: context.database)
        }
        let first = try await report(tokens[0])
        return try await withThrowingTaskGroup { group in
          for token in tokens.dropFirst() { group.addTask { try await report(token) } }
          return try await group.reduce(into: [first]) { $0.append($1) }
        }
      }
    }.get()
    #expect(rulings.count { !$0.isOpen } == 1)
    #expect(rulings.count { $0.events == [.opened] && $0.restored.count == 1 } == 1)
    #expect(rulings.count { $0 == FeedbackBreaker.Ruling(isOpen: true) } == 38)
    await shared.service.stop()
  }

  @Test(arguments: Transport.allCases)
  func aFewAmongManyAreBelieved(transport: Transport) async throws {
    let (shared, app, tokens) = try await make(transport, tokens: 25)
    let taken: JSON = [
      "token": .string(Sample.token()), "environment": "production", "status": 200,
    ]
    _ = try await app.report(Array(repeating: taken, count: 900))
    let reply = try await app.report(tokens.map { result($0, "BadDeviceToken") })
    #expect(reply.json["quarantined"] == 25)
    #expect(try await statuses(app) == ["quarantined 25"])
    await shared.service.stop()
  }

  @Test(arguments: Transport.allCases)
  func itClosesByItself(transport: Transport) async throws {
    let (shared, app, tokens) = try await make(transport, tokens: 21)
    _ = try await app.report(tokens.map { result($0, "BadDeviceToken") })
    let open = try await app.admin.get("\(app.path)/feedback/breakers").json["items"][0]
    #expect(open["state"] == "open")
    #expect(open["opened_at"] == "2023-11-14T22:13:20.000Z")
    #expect(open["last_refused_at"] == open["opened_at"])
    #expect(open["closes_at"] == "2023-11-14T22:23:20.000Z")
    #expect(open["trusted_until"] == .null)
    shared.clock.advance(599_999)
    #expect(
      try await app.decisions([result(tokens[0], "BadDeviceToken")])
        == ["no_action breaker_open"])
    shared.clock.advance(600_000)
    #expect(try await state(app) == ["production closed", "sandbox closed"])
    #expect(try await app.decisions([result(tokens[0], "BadDeviceToken")]) == ["quarantined"])
    await shared.service.stop()
  }

  @Test(arguments: Transport.allCases)
  func anAdminClosesItAndIsBelieved(transport: Transport) async throws {
    let (shared, app, tokens) = try await make(transport, tokens: 60)
    let burst = tokens.map { result($0, "BadDeviceToken") }
    _ = try await app.report(burst)
    let path = "\(app.path)/feedback/breakers"
    #expect(try await app.admin.delete("\(path)/test").status == 404)
    #expect(try await app.sender.delete("\(path)/production").status == 403)
    #expect(try await app.admin.delete("\(path)/production").status == 204)
    let closed = try await app.admin.get(path).json["items"][0]
    #expect(closed["state"] == "closed")
    #expect(closed["trusted_until"] == "2023-11-14T23:13:20.000Z")
    #expect(try await app.report(burst).json["quarantined"] == 60)

    let metrics = try await app.admin.get("/metrics").text
    for line in [
      #"postilion_feedback_total{decision="quarantined"} 60"#,
      #"postilion_feedback_total{decision="no_action"} 60"#,
      #"postilion_feedback_breaker_total{event="opened"} 1"#,
      #"postilion_feedback_breaker_total{event="closed"} 1"#,
    ] {
      #expect(metrics.contains(line), "\(line)")
    }
    let events = shared.service.log.records.filter { $0["app"] == .string(app.slug) }
    #expect(
      events.map { $0["event"] } == ["feedback_breaker_opened", "feedback_breaker_closed"])
    await shared.service.stop()
  }

  /// Each environment and each app has its own.
  @Test func aBreakerIsOneAppsAndOneEnvironments() async throws {
    let (shared, app, tokens) = try await make(.inProcess, tokens: 20)
    _ = try await app.report(tokens.map { result($0, "BadDeviceToken") })
    let other = try await shared.service.app(.inProcess)
    let (token, sandbox) = (Sample.token(), Sample.token())
    try await other.register(token)
    try await app.register(sandbox, environment: "sandbox")
    #expect(try await other.decisions([result(token, "BadDeviceToken")]) == ["quarantined"])
    #expect(
      try await app.decisions([result(sandbox, "BadDeviceToken", ["environment": "sandbox"])])
        == ["quarantined"])
    await shared.service.stop()
  }
}

extension Result where Failure == any Error, Success: Sendable {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
