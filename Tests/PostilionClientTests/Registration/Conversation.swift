import Foundation

@testable import PostilionClient

/// A registration and a server that answers as a test wants, without network, clock or chance.
struct Conversation {
  var state = RegistrationState()
  var now = Date(timeIntervalSince1970: 1_800_000_000)
  let identity = InstallationIdentity()
  /// What came of the last answer.
  private(set) var events: [PostilionEvent] = []
  let interval: TimeInterval = 86_400

  static let profile: ReportFields = [
    .platform: "ios", .environment: "production", .languages: ["fr-CA", "en-CA"],
    .appBuild: "412",
  ]

  /// An installation that was launched, and perhaps registered.
  init(registered token: UInt8? = nil) {
    state.adopt(identity)
    state.apply(.launched(Self.profile))
    if let token {
      state.apply(.token(.apns, Data(repeating: token, count: 32)))
      answer(200)
    }
  }

  /// What comes next: `PUT {"…": …}`, `wait 2.0`, `rest`. Without the time of the report.
  var next: String {
    switch state.next(at: now, interval: interval) {
    case .rest: return "rest"
    case .wait(let seconds): return "wait \(seconds)"
    case .send(let request):
      let place = request.path.hasPrefix("installations/") ? "" : " \(request.path)"
      guard var body = request.body else { return request.method.rawValue + place }
      body["reported_at"] = nil
      body["id"] = nil
      body["installation_id"] = nil
      body["occurred_at"] = nil
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let text = (try? encoder.encode(body)).map { String(decoding: $0, as: UTF8.self) }
      return "\(request.method.rawValue)\(place) \(text ?? "")"
    }
  }

  /// The request that comes next, as it goes out.
  mutating func send() -> ClientRequest? {
    guard case .send(let request) = state.next(at: now, interval: interval) else { return nil }
    state.willSend(request, at: now)
    return request
  }

  /// Sends what comes next, and answers it.
  @discardableResult
  mutating func answer(
    _ status: Int, _ members: [String: PayloadValue] = [:], retryAfter: TimeInterval? = nil
  ) -> PostilionEvent? {
    guard let request = send() else { return nil }
    return answer(request, status, members, retryAfter: retryAfter)
  }

  /// Answers a request.
  @discardableResult
  mutating func answer(
    _ request: ClientRequest, _ status: Int, _ members: [String: PayloadValue] = [:],
    retryAfter: TimeInterval? = nil
  ) -> PostilionEvent? {
    var members = members
    if let code = members["code"]?.string {
      members["type"] = members["type"] ?? .string("urn:postilion:problem:\(code)")
    }
    if status < 300 {
      members["installation_id"] = .string(identity.id.uuidString)
      members["id"] = request.body?["id"]
      members["applied"] = members["applied"] ?? true
      members["reported_at"] = members["reported_at"] ?? request.body?["reported_at"] ?? .null
    }
    let body = (try? JSONEncoder().encode(members)) ?? Data()
    let response = TransportResponse(
      status: status, retryAfter: retryAfter, body: status == 204 ? Data() : body)
    let outcome = RequestOutcome(response, to: request)
    events = state.ended(request, outcome, at: now, random: 0.5)
    return events.first
  }

  /// Lets a request end without an answer.
  mutating func fail(_ request: ClientRequest, _ error: any Error) {
    _ = state.ended(request, .failed(RequestFailure(error)), at: now, random: 0)
  }

  /// The time of the report that comes next.
  var reportTime: Date? {
    guard case .send(let request) = state.next(at: now, interval: interval),
      case .string(let text)? = request.body?["reported_at"]
    else { return nil }
    return ServerTime.date(text)
  }
}
