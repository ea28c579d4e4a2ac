import DeviceProfile
import Foundation
import JSON
import Postgres
import TestSupport

@testable import App
@testable import Registry

/// A short time in which some clients call at once, about installations and tokens that nobody
/// calls about before or after: a history that is checked by itself.
struct RegistrySegment: Sendable {
  let ids: [InstallationID]
  let tokens: [DeviceToken]
  /// Whether an installation registers by itself, or by the backend.
  let areOfApp: [Bool]
  /// What each client calls, one after the other.
  private(set) var plans: [[RegistryOperation]] = []
  private var random: SplitMix64
  private var count = 0
  /// The last whole report of each installation: a launch often tells the same again.
  private var lastReports: [Int: RegistrationReport] = [:]

  private static let operationsPerClient = 12
  private static let firstReport = Timestamp(rfc3339: "2026-01-01T00:00:00Z")
  private static let longAgo = Timestamp(rfc3339: "2020-01-01T00:00:00Z")

  /// A segment; equal seeds make equal ones.
  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(random.below(256)) } }
    ids = (0..<3 + random.below(3)).map { _ in
      let text = bytes(16).map { String(format: "%02x", $0) }.joined()
      let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { Array(text)[$0] }
      return InstallationID(parts.map { String($0) }.joined(separator: "-")) ?? .init(UUID())
    }
    tokens = (0..<2 + random.below(3)).compactMap { _ in DeviceToken(bytes: bytes(32)) }
    areOfApp = ids.map { _ in random.below(100) < 60 }
    self.random = random
    let clients = 3 + self.random.below(4)
    plans = Array(repeating: [], count: clients)
    for index in 0..<clients * Self.operationsPerClient {
      plans[index % clients].append(operation())
    }
  }

  /// The readings at the end, when all clients are done.
  var lastReadings: [RegistryOperation] {
    ids.indices.map { RegistryOperation(installation: $0, number: count + 1 + $0, action: .read) }
  }

  /// True so many times of a hundred.
  private mutating func isLucky(_ percent: Int) -> Bool { random.below(100) < percent }

  private mutating func operation() -> RegistryOperation {
    count += 1
    let place = random.below(ids.count)
    var operation = RegistryOperation(installation: place, number: count, action: .read)
    switch random.below(100) {
    case ..<38:
      let repeated = isLucky(15) ? lastReports[place] : nil
      let report = repeated ?? report(isWhole: true)
      lastReports[place] = report
      operation.action = .report(report, mayCreate: true)
      operation.isFromApp = areOfApp[place]
      operation.condition = isLucky(8) ? .isNew : isLucky(8) ? .isLastSeen : .none
    case ..<52:
      operation.action = .report(report(isWhole: false), mayCreate: false)
      // A backend may change what an app made; it does not make it.
      operation.isFromApp = areOfApp[place] && isLucky(70)
      operation.condition = isLucky(20) ? .isLastSeen : .none
    case ..<74: operation.action = .read
    case ..<80:
      operation.action = .delete
      operation.isFromApp = areOfApp[place] && isLucky(50)
      operation.condition = isLucky(25) ? .isLastSeen : .none
    case ..<85:
      operation.action = .deleteCredential(isLucky(90) ? .apns : .voip)
      operation.isFromApp = areOfApp[place] && isLucky(50)
    default: operation.action = .feedback(feedback(), .whole)
    }
    return operation
  }

  private mutating func report(isWhole: Bool) -> RegistrationReport {
    var report = RegistrationReport()
    if isWhole {
      report.platform = .ios
      report.environment = isLucky(94) ? .production : .sandbox
    }
    if isWhole || isLucky(20) {
      addToken(.apns, percent: isWhole ? 92 : 50, to: &report)
      if isLucky(12) { addToken(.voip, percent: 70, to: &report) }
      while isLucky(25) { addOther(to: &report) }
    }
    // A text of its own shows whose report was the last; without one, a launch changes nothing.
    if isLucky(45) { report.appVersion = .set("\(count)") }
    if isLucky(30) { report.appBuild = isLucky(90) ? .set("\(count)") : .clear }
    if isLucky(25) {
      let second = Int64(max(0, count - random.below(12)))
      report.reportedAt = Self.firstReport.map {
        Timestamp(microseconds: $0.microseconds + second * 1_000_000)
      }
    }
    return report
  }

  /// One of each kind, and two of those of which an installation has several. The same bytes may be
  /// tokens of several kinds.
  private static let others = [
    CredentialPlace(.widgets), CredentialPlace(.location), CredentialPlace(.pushToTalk),
    CredentialPlace(.fileProvider), CredentialPlace(.complication),
    CredentialPlace(.nowPlayingStart), CredentialPlace(.liveActivityStart, ["Delivery"]),
    CredentialPlace(.liveActivities, ["A1"]), CredentialPlace(.liveActivities, ["A2"]),
    CredentialPlace(.controls, ["Lights", "porch"]),
    CredentialPlace(.controls, ["Lights", "hall"]),
    CredentialPlace(.nowPlaying, ["S1"]), CredentialPlace(.nowPlaying, ["S2"]),
  ]

  private mutating func addOther(to report: inout RegistrationReport) {
    let place = Self.others[random.below(Self.others.count)]
    let handler = CredentialPlace(.controls, ["Lights"])
    guard isLucky(75) else {
      // Of a place that is not brought as well: `null` and a token cannot both be sent.
      let kind = place.kind == .controls ? handler : CredentialPlace(place.kind)
      if !report.credentials.brought.contains(where: { $0.place.isBelow(kind) }) {
        report.credentials.replaced.insert(kind)
      }
      return
    }
    guard !report.credentials.replaced.contains(where: { place.isBelow($0) }) else { return }
    // A report of a control names all of its handler.
    if place.kind == .controls { report.credentials.replaced.insert(handler) }
    let details = CredentialDetails(type: place.kind == .liveActivities ? "Delivery" : nil)
    report.credentials.brought[place] = ReportedCredential(
      token: tokens[random.below(tokens.count)], details: details)
  }

  /// Mostly of notifications; of all others each is as likely.
  private mutating func kind() -> CredentialKind {
    isLucky(80) ? .apns : CredentialKind.allCases[random.below(CredentialKind.allCases.count)]
  }

  private mutating func addToken(
    _ kind: CredentialKind, percent: Int, to report: inout RegistrationReport
  ) {
    if isLucky(percent) {
      report.credentials.brought[kind] = ReportedCredential(
        token: tokens[random.below(tokens.count)])
    } else if isLucky(50) {
      report.credentials.replaced.insert(CredentialPlace(kind))
    }
  }

  private mutating func feedback() -> FeedbackItem {
    let (status, reason) =
      switch random.below(100) {
      case ..<75: (410, isLucky(50) ? "Unregistered" : "ExpiredToken")
      case ..<90: (400, "BadDeviceToken")
      case ..<95: (400, "DeviceTokenNotForTopic")
      default: (200, "")
      }
    return FeedbackItem(
      token: tokens[random.below(tokens.count)],
      environment: isLucky(92) ? .production : .sandbox, kind: kind(),
      status: status, reason: reason.isEmpty ? nil : reason,
      sentAt: isLucky(20) ? Self.longAgo : nil)
  }
}

/// A call as its client saw it.
struct RegistryCall: Sendable {
  var client: Int
  var operation: RegistryOperation
  /// Nanoseconds of the machine's clock that never goes back.
  var call: UInt64
  /// When the answer was there, and what it was; `nil` when it is lost.
  var answer: (told: RegistryAnswer, end: UInt64)?
  /// When an answer came that told nothing, or the connection broke: the service had taken the call
  /// by then, or never takes it. `nil` when the client did not wait for it.
  var broken: UInt64?
}

/// A call of a history, and who made it.
typealias HistoryCall = HistoryOperation<RegistryOperation, RegistryAnswer>

extension [RegistryCall] {
  /// When each may have arrived, by its number.
  var arrivals: [Int: ClosedRange<UInt64>] {
    reduce(into: [:]) { arrivals, call in
      let end = call.answer?.end ?? call.broken ?? .max
      arrivals[call.operation.number] = call.call...Swift.max(call.call, end)
    }
  }

  /// The calls as they are checked: feedback that a report of just now may have overtaken is two
  /// operations (``FeedbackPart``).
  var history: [HistoryCall] {
    flatMap { call -> [HistoryCall] in
      guard case .feedback(let item, _) = call.operation.action, isOvertaken(call, item) else {
        return [call.checked(call.operation)]
      }
      return [FeedbackPart.take, .restore].map { part in
        var operation = call.operation
        operation.action = .feedback(item, part)
        return call.checked(operation)
      }
    }
  }

  /// Whether a report may have brought the token while feedback on it was under way, and the answer
  /// does not exclude it.
  private func isOvertaken(_ feedback: RegistryCall, _ item: FeedbackItem) -> Bool {
    let ignored = FeedbackEffect.ignoredNewerRegistration.rawValue
    guard item.sentAt == nil, feedback.answer.map({ $0.told.decision == ignored }) ?? true else {
      return false
    }
    return contains { other in
      other.call <= feedback.answer?.end ?? .max && other.answer?.end ?? .max >= feedback.call
        && other.operation.broughtTokens.contains { $0 == item.token }
    }
  }
}

extension RegistryCall {
  fileprivate func checked(_ operation: RegistryOperation) -> HistoryCall {
    guard let answer else { return HistoryCall(operation, call: call) }
    return HistoryCall(operation, answered: answer.told, call: call, end: answer.end)
  }
}
