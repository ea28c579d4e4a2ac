import AppTesting
import Testing

/// A registration and an answer of APNs about its token, at the same time.
@Suite struct FeedbackRaceTests {
  /// `make report-races` has a hundred thousand.
  private static let races = 300

  /// Registers as many tokens, moves the clock, and lets each race its answer.
  private func race(
    _ app: TestApp, _ clock: ManualClock, noticed: Int64, from transport: Transport
  ) async throws -> [(token: String, decision: String)] {
    let pairs = (0..<Self.races).map { _ in (token: Sample.token(), id: Sample.id()) }
    try await inBatches(pairs) { pair in try await app.register(pair.token, pair.id) }
    clock.advance(2000)
    let timestamp = JSON.number(Double(clock.milliseconds + noticed))
    return try await inBatches(pairs) { pair in
      async let registered: Void = app.register(pair.token, pair.id)
      async let decisions = app.decisions([
        result(pair.token, "Unregistered", ["timestamp": timestamp])
      ])
      try await registered
      return (pair.token, try await decisions.first ?? "")
    }
  }

  @discardableResult
  private func inBatches<Input: Sendable, Output: Sendable>(
    _ inputs: [Input], _ body: @escaping @Sendable (Input) async throws -> Output
  ) async throws -> [Output] {
    var outputs: [Output] = []
    for start in stride(from: 0, to: inputs.count, by: 20) {
      outputs += try await withThrowingTaskGroup { group in
        for input in inputs[start...].prefix(20) { group.addTask { try await body(input) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    return outputs
  }

  /// The status and the last event of each token.
  private func ends(_ app: TestApp) async throws -> [String: (status: String, event: String)] {
    let rows = try await app.service.database.query(
      """
      SELECT encode(i.apns_token, 'hex'), i.apns_status,
        (SELECT event FROM token_history h
          WHERE h.app_id = i.app_id AND h.token = i.apns_token ORDER BY h.id DESC LIMIT 1)
      FROM installation i JOIN app ON app.id = i.app_id WHERE slug = '\(app.slug)'
      """)
    return Dictionary(
      uniqueKeysWithValues: rows.map { ($0[0] ?? "", ($0[1] ?? "", $0[2] ?? "")) })
  }

  /// APNs noticed before the launch: whatever comes first, the token stays in use.
  @Test(.onOnePostgres, arguments: Transport.allCases)
  func anAnswerFromBeforeTheRegistrationNeverWins(transport: Transport) async throws {
    let shared = try await FeedbackService()
    let app = try await shared.service.app(transport)
    let races = try await race(app, shared.clock, noticed: -1000, from: transport)
    let ends = try await ends(app)
    var decisions: [String: Int] = [:]
    for (token, decision) in races {
      #expect(ends[token]?.status == "active", "\(decision) \(ends[token]?.event ?? "")")
      // If it was taken out of use for a moment, history says how it came back.
      #expect(["registered", "revived", "restored"].contains(ends[token]?.event))
      #expect(decision != "invalidated" || ends[token]?.event == "revived")
      decisions[decision, default: 0] += 1
    }
    #expect(ends.count == Self.races)
    print("races before: \(decisions), last events: \(counts(ends))")
    await shared.service.stop()
  }

  /// APNs noticed in the launch's millisecond or after it: the token is out of use, unless the
  /// launch came after the answer and revived it.
  @Test(.onOnePostgres, arguments: Transport.allCases, [0, 1000] as [Int64])
  func anAnswerFromAfterTheRegistrationWinsUnlessItCameFirst(
    transport: Transport, noticed: Int64
  ) async throws {
    let shared = try await FeedbackService()
    let app = try await shared.service.app(transport)
    let races = try await race(app, shared.clock, noticed: noticed, from: transport)
    let ends = try await ends(app)
    for (token, decision) in races {
      #expect(decision == "invalidated")
      let end = try #require(ends[token])
      #expect(
        end == ("invalid", "invalidated") || end == ("active", "revived"), "\(end)")
    }
    print("races after: last events \(counts(ends))")
    await shared.service.stop()
  }

  /// One after the other there is nothing to wait for: the answer came last and is right.
  @Test(.onOnePostgres) func anAnswerAfterTheRegistrationAlwaysWins() async throws {
    let shared = try await FeedbackService()
    let app = try await shared.service.app(.inProcess)
    let pairs = (0..<Self.races).map { _ in (token: Sample.token(), id: Sample.id()) }
    try await inBatches(pairs) { pair in
      try await app.register(pair.token, pair.id)
      _ = try await app.decisions([result(pair.token, "Unregistered")])
    }
    #expect(try await ends(app).values.allSatisfy { $0 == ("invalid", "invalidated") })
    await shared.service.stop()
  }

  private func counts(_ ends: [String: (status: String, event: String)]) -> [String: Int] {
    ends.values.reduce(into: [:]) { $0[$1.event, default: 0] += 1 }
  }
}
