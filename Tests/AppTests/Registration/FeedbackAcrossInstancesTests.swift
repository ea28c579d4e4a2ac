import AppTesting
import Testing

/// A token comes to an installation through one instance while two others hear from APNs about it.
///
/// What a launch writes is seen by every instance at once. Launches that change nothing are raced
/// in ``ReportsAcrossInstancesTests``.
@Suite struct FeedbackAcrossInstancesTests {
  /// Of each kind and each time: about a thousand in all.
  private static let races = 112

  enum Launch: String, CaseIterable, CustomTestStringConvertible {
    /// The token is new to the registry.
    case first
    /// It was another installation's.
    case move
    /// It was out of use.
    case revival

    var testDescription: String { rawValue }
  }

  /// What a race ends with.
  private struct End: Hashable, CustomStringConvertible {
    /// On the answers of APNs.
    var decisions: [String]
    /// Of the token where it came to.
    var status: String
    /// The last that happened to it.
    var event: String

    var description: String { "\(decisions.joined(separator: ", ")): \(status), \(event)" }
  }

  @Test(arguments: Launch.allCases, [-1000, 0, 1000] as [Int64])
  func aLaunchAndTwoAnswersAtOnce(launch: Launch, noticed: Int64) async throws {
    let clock = ManualClock()
    let first = try await TestService.start(loops: 2, clock: { clock.now })
    let app = try await first.app()
    let second = try await TestService.start(
      database: first.database, loops: 2, clock: { clock.now })
    let third = try await TestService.start(
      database: first.database, loops: 2, clock: { clock.now })
    let launching = first.client(key: app.keys["sender"])
    @Sendable func answer(
      _ token: String, _ milliseconds: Int64, through service: TestService
    ) async throws -> String {
      let reply = try await service.client(key: app.keys["sender"]).post(
        "\(app.path)/feedback",
        [
          "results": [
            result(token, "Unregistered", ["timestamp": .number(Double(milliseconds))])
          ]
        ])
      return reply.json["results"][0]["decision"].string ?? "\(reply.status)"
    }
    let races = (0..<Self.races).map { _ in
      (token: Sample.token(), former: app.installation(Sample.id()), id: Sample.id())
    }
    if launch != .first {
      try await inBatches(races) { race in
        _ = try await launching.put(race.former, Sample.report(race.token))
        guard launch == .revival else { return }
        _ = try await answer(race.token, clock.milliseconds, through: second)
      }
    }
    clock.advance(2000)
    let timestamp = clock.milliseconds + noticed
    let decisions = try await inBatches(races) { race in
      let path = launch == .revival ? race.former : app.installation(race.id)
      async let launched = launching.put(path, Sample.report(race.token))
      async let one = answer(race.token, timestamp, through: second)
      async let other = answer(race.token, timestamp, through: third)
      #expect([200, 201].contains(try await launched.status))
      return [try await one, try await other].sorted()
    }
    for service in [first, second, third] { await service.stop() }
    #expect(try await TokenReplay(first.database).contradictions == [])
    var ends: [End: Int] = [:]
    for (race, decisions) in zip(races, decisions) {
      ends[try await end(race.token, decisions, first.database), default: 0] += 1
    }
    print("\(launch) against two answers at \(noticed) ms: \(ends)")
    for end in ends.keys { check(end, launch, noticed) }
  }

  private func check(_ end: End, _ launch: Launch, _ noticed: Int64) {
    let arrival = ["first": "registered", "move": "moved"][launch.rawValue] ?? "revived"
    if end.status == "active" {
      // The launch came last, or the answers spoke of the time before it.
      #expect(end.event == arrival, "\(end)")
      #expect(noticed < 0 || !end.decisions.contains("ignored_newer_registration"), "\(end)")
    } else {
      // One of them is enough; the other came before the token, or found it out of use.
      #expect(noticed >= 0 && end.decisions.contains("invalidated"), "\(end)")
      #expect([end.status, end.event] == ["invalid", "invalidated"], "\(end)")
    }
  }

  /// Some at a time, so that both sides of a race run at once.
  @discardableResult
  private func inBatches<Input: Sendable, Output: Sendable>(
    _ inputs: [Input], _ body: @escaping @Sendable (Input) async throws -> Output
  ) async throws -> [Output] {
    var outputs: [Output] = []
    for start in stride(from: 0, to: inputs.count, by: 16) {
      outputs += try await withThrowingTaskGroup { group in
        for (index, input) in inputs[start...].prefix(16).enumerated() {
          group.addTask { (index, try await body(input)) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
          .sorted { $0.0 < $1.0 }.map(\.1)
      }
    }
    return outputs
  }

  private func end(
    _ token: String, _ decisions: [String], _ database: ScratchDatabase
  ) async throws -> End {
    let row = try await database.query(
      """
      SELECT (SELECT apns_status FROM installation WHERE apns_token = '\\x\(token)'),
        (SELECT event FROM token_history WHERE token = '\\x\(token)' ORDER BY id DESC LIMIT 1)
      """
    ).first
    return End(decisions: decisions, status: row?[0] ?? "none", event: row?[1] ?? "none")
  }
}
