import Foundation
import PostilionClient

/// The installations and failures of a server, and what calls do to them.
struct ServerRegistry {
  /// The installations, by their names.
  var installations: [UUID: ServerInstallation] = [:]
  /// The failures, oldest first.
  private(set) var failures: [[String: PayloadValue]] = []

  // MARK: Reports

  /// `PUT` and `PATCH` of an installation.
  mutating func report(
    _ call: ServerCall, at now: Date, bundleIDs: Set<String>,
    verify: InMemoryServer.Verification
  ) -> ServerAnswer {
    var report = ServerReport(call.body ?? .null)
    guard report.faults.isEmpty else { return .invalid(report.faults) }
    let stored = installations[call.id]
    if let stored {
      let isClaimed = stored.secret == nil && stored.isProven(by: report)
      if !isClaimed, let problem = stored.problem(of: call) { return problem }
    } else if call.method == "PATCH" {
      return .noInstallation
    }
    if let bundleID = report.fields["bundle_id"]?.string, !bundleIDs.contains(bundleID) {
      return .invalid([ServerFault("/bundle_id", "unknown_value")])
    }
    if case .string(let user)? = report.user, user != stored?.user,
      let code = verify(user, report.proof)
    {
      report.leaveOutUser(code)
    }
    if let stored, let time = report.reportedAt, let newest = stored.reportedAt, time < newest {
      return answer(stored, 200, isApplied: false, report)
    }
    if let stored, let environment = report.environment, environment != stored.environment,
      ServerKind.ofBuild.contains(where: {
        stored.tokens[[$0]] != nil && !report.credentials.mentions([$0])
      })
    {
      return .problem(
        422, "environment_needs_tokens", "The environment needs its tokens",
        [ServerFault("/environment", "environment_needs_tokens")])
    }
    guard var next = stored ?? ServerInstallation(call.id, report, at: now) else {
      let missing = [("platform", report.platform), ("environment", report.environment)]
      return .invalid(
        missing.filter { $0.1 == nil }.map { ServerFault("/\($0.0)", "missing_field") })
    }
    if let fault = next.sharedToken(report) { return .invalid([fault]) }
    take(&report, into: &next, call, at: now)
    var given: String?
    if next.secret == nil, call.isApp {
      given = call.offeredSecret ?? InstallationIdentity().secret
      next.secret = given
    }
    installations[call.id] = next
    return answer(next, stored == nil ? 201 : 200, isApplied: true, report, secret: given)
  }

  /// Applies a report; tokens that others have move here. An installation that no app has claimed
  /// is continued, unless it is of another person than the report: what was known of it goes along.
  private mutating func take(
    _ report: inout ServerReport, into next: inout ServerInstallation, _ call: ServerCall,
    at now: Date
  ) {
    let build = report.environment ?? next.environment
    let named = report.user?.string ?? next.user
    for (place, brought) in report.credentials.brought {
      let environment =
        brought.environment ?? ServerKind.environment(of: place, build: build)
      for (id, var other) in installations where id != next.id {
        let held = other.tokens.first {
          $0.key.first == place.first && $0.value.environment == environment
            && $0.value.token == brought.token
        }
        guard let held else { continue }
        let isTheirs = named == nil || other.user == nil || named == other.user
        let isContinued = call.isApp && other.secret == nil && isTheirs
        if isContinued { next.inherit(other, report) }
        other.tokens[held.key] = nil
        if isContinued, other.tokens.isEmpty { other.leavePerson() }
        installations[id] = other
      }
    }
    report.resolve(over: next.fields, isPatch: call.method == "PATCH")
    next.apply(report, at: now)
  }

  private func answer(
    _ installation: ServerInstallation, _ status: Int, isApplied: Bool, _ report: ServerReport,
    secret: String? = nil
  ) -> ServerAnswer {
    var body = installation.object
    body["applied"] = .bool(isApplied)
    body["ignored"] = .array(report.ignored.map(\.value))
    body["installation_secret"] = secret.map(PayloadValue.string)
    return ServerAnswer(status: status, body: body)
  }

  // MARK: Other calls

  /// `GET` of an installation.
  func show(_ call: ServerCall) -> ServerAnswer {
    guard let stored = installations[call.id] else { return .noInstallation }
    return stored.problem(of: call) ?? ServerAnswer(status: 200, body: stored.object)
  }

  /// `DELETE` of an installation.
  mutating func delete(_ call: ServerCall) -> ServerAnswer {
    guard let stored = installations[call.id] else { return .noInstallation }
    if let problem = stored.problem(of: call) { return problem }
    installations[call.id] = nil
    return ServerAnswer(status: 204)
  }

  /// `POST` of a failure. One whose id is stored already changes nothing.
  mutating func fail(_ body: PayloadValue) -> ServerAnswer {
    var faults: [ServerFault] = []
    func need(_ place: String, _ value: PayloadValue?, _ isRight: (PayloadValue) -> String?) {
      guard let value else { return faults.append(ServerFault(place, "missing_field")) }
      if let code = isRight(value) { faults.append(ServerFault(place, code)) }
    }
    need("/kind", body["kind"]) { kind in
      guard let word = kind.string else { return "wrong_type" }
      return ["apns", "voip", "authorization"].contains(word) ? nil : "unknown_value"
    }
    need("/error", body["error"]) { $0.object == nil ? "wrong_type" : nil }
    if let error = body["error"], error.object != nil {
      need("/error/domain", error["domain"]) { $0.string == nil ? "wrong_type" : nil }
      need("/error/code", error["code"]) { $0.integer == nil ? "wrong_type" : nil }
    }
    guard faults.isEmpty else { return .invalid(faults) }
    let id = body["id"]?.string ?? UUID().uuidString.lowercased()
    let answer: [String: PayloadValue] = ["id": .string(id), "ignored": []]
    if failures.contains(where: { $0["id"]?.string == id }) {
      return ServerAnswer(status: 200, body: answer)
    }
    var failure = body.object ?? [:]
    failure["id"] = .string(id)
    failures.append(failure)
    return ServerAnswer(status: 201, body: answer)
  }
}
