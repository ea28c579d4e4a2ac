import AppTesting
import Postgres
import Synchronization
import Testing

/// A service whose clock the test moves.
struct FeedbackService {
  let service: TestService
  let clock: ManualClock

  init() async throws {
    let clock = ManualClock()
    service = try await TestService.start(loops: 2, clock: { clock.now })
    self.clock = clock
  }
}

/// A clock that stands still until it is moved, in milliseconds.
final class ManualClock: Sendable {
  private let time = Mutex<Int64>(1_700_000_000_000)

  var milliseconds: Int64 { time.withLock { $0 } }
  var now: Timestamp { Timestamp(microseconds: milliseconds * 1000) }

  func advance(_ milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}

extension TestApp {
  /// Registers an installation with a token.
  func register(
    _ token: String, _ id: String = Sample.id(), environment: JSON = "production",
    kind: String = "apns"
  ) async throws {
    let reply = try await admin.put(
      installation(id),
      [
        "platform": "ios", "environment": environment,
        "credentials": [kind: ["token": .string(token)]],
      ])
    #expect([200, 201].contains(reply.status))
  }

  /// Reports what APNs answered.
  func report(_ results: [JSON]) async throws -> Reply {
    try await sender.post("\(path)/feedback", ["results": .array(results)])
  }

  /// `decision detail` of each result.
  func decisions(_ results: [JSON]) async throws -> [String] {
    let reply = try await report(results)
    #expect(reply.status == 200, "\(reply.text)")
    return reply.decisions
  }

  /// The status of a token wherever it is, and its reason.
  func status(of token: String, _ kind: String = "apns") async throws -> String {
    let items = try await admin.items("\(path)/installations?token=\(token)")
    return items.map { item in
      let credential = item["credentials"][kind]
      let reason = credential["reason"].string.map { " \($0)" } ?? ""
      return "\(credential["status"].string ?? "none")\(reason)"
    }.joined(separator: ", ")
  }

  /// What happened to a token by feedback, oldest first.
  func feedbackEvents(of token: String) async throws -> [String] {
    let rows = try await service.database.query(
      """
      SELECT event FROM token_history JOIN app ON app.id = app_id
      WHERE slug = '\(slug)' AND token = '\\x\(token)' AND source = 'feedback'
      ORDER BY token_history.id
      """)
    return rows.map { $0[0] ?? "" }
  }
}

extension Reply {
  /// `decision detail` of each result.
  var decisions: [String] {
    json["results"].elements.map { result in
      let detail = result["detail"].string.map { " \($0)" } ?? ""
      return "\(result["decision"].string ?? "")\(detail)"
    }
  }
}

/// A result of APNs in production.
func result(_ token: String, _ reason: String, _ fields: [String: JSON] = [:]) -> JSON {
  let status = reason == "Unregistered" ? 410 : 400
  var result: JSON = [
    "token": .string(token), "environment": "production", "status": .number(Double(status)),
    "reason": .string(reason),
  ]
  for (name, value) in fields { result[name] = value }
  return result
}
