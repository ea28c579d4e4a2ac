import AppTesting
import TestSupport

/// One installation of the campaign, as the one task knows it that reports for it.
struct CampaignDevice: Sendable {
  let id: String
  /// Whether reports come from the app itself.
  let isClient: Bool
  /// What the app was given; the backend needs none.
  var secret: String?
  /// What the backend made for the app, so that it gets a secret.
  var claimCode: String?
  /// The state in the last answer; `nil` when there is no installation.
  var acknowledged: JSON?
  /// The last report that was taken, to be repeated.
  var lastReport: JSON?

  /// The profile that was acknowledged: what no one else changes.
  var profile: JSON? {
    guard var profile = acknowledged else { return nil }
    for name in [
      "credentials", "updated_at", "last_seen_at", "reported_at", "applied", "ignored",
      "installation_secret",
    ] {
      profile[name] = .absent
    }
    return profile
  }

  /// Whether an answer shows the profile. From what the backend made, and an app has continued
  /// since, the person is gone with the tokens.
  func agrees(_ answer: JSON) -> Bool {
    guard let profile else { return false }
    let mayBeLeft = secret == nil && answer["credentials"] == [:]
    let ofPerson = ["user", "tags", "attributes", "language_override"]
    return profile.names.allSatisfy { name in
      profile[name] == answer[name]
        || mayBeLeft && ofPerson.contains(name) && [.null, []].contains(answer[name])
    }
  }
}

/// What a worker does next.
enum CampaignOperation {
  case put(JSON)
  case patch(JSON)
  case delete
  case deleteCredential(String)

  /// What is told, when it is a report.
  var report: JSON? {
    switch self {
    case .put(let report), .patch(let report): report
    case .delete, .deleteCredential: nil
    }
  }
}

/// Draws operations from a seed.
struct CampaignDice: Sendable {
  var random: SplitMix64
  let tokens: [String]
  private var count = 0

  init(seed: UInt64, tokens: [String]) {
    random = SplitMix64(seed: seed)
    self.tokens = tokens
  }

  /// True so many times of a hundred.
  mutating func isLucky(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  /// One of some things.
  mutating func pick<Thing>(_ things: [Thing]) -> Thing {
    things[Int.random(in: things.indices, using: &random)]
  }

  /// The next operation of a device.
  mutating func operation(of device: CampaignDevice) -> CampaignOperation {
    count += 1
    switch Int.random(in: 0..<100, using: &random) {
    case ..<50: return .put(report(isWhole: true))
    case ..<60: return .put(report(isWhole: false))
    case ..<72: return .put(device.lastReport ?? report(isWhole: true))
    case ..<84: return .patch(report(isWhole: false))
    case ..<94: return .deleteCredential(pick(["apns", "voip"]))
    default: return .delete
    }
  }

  /// A line of an import: a whole report, as another registry had it.
  mutating func record(of device: CampaignDevice) -> JSON {
    count += 1
    var record = report(isWhole: true)
    record["installation_id"] = .string(device.id)
    return record
  }

  /// What APNs tells a sender about a few tokens, whoever has them.
  ///
  /// - Parameter now: Milliseconds since 1970.
  mutating func feedback(now: Int64) -> JSON {
    let results = (0..<pick([1, 1, 3])).map { _ -> JSON in
      let isDead = isLucky(85)
      return [
        "token": .string(pick(tokens)), "environment": isLucky(90) ? "production" : "sandbox",
        "status": isDead ? 410 : 400, "reason": isDead ? "Unregistered" : "BadDeviceToken",
        // From before most registrations, from just now, and from a clock ahead.
        "timestamp": .number(Double(now + pick([-3_600_000, -20, 0, 60_000]))),
      ]
    }
    return ["results": .array(results)]
  }

  /// A report with tokens, or of a part of the profile alone.
  private mutating func report(isWhole: Bool) -> JSON {
    var report: JSON = ["attributes": ["n": .number(Double(count))]]
    if isWhole {
      report["platform"] = "ios"
      report["environment"] = isLucky(90) ? "production" : "sandbox"
      report["credentials"] = credentials()
    } else if isLucky(30) {
      report["credentials"] = credentials()
    }
    if isLucky(50) { report["user"] = ["id": .string("u\(pick(Array(0..<50)))")] }
    if isLucky(20) { report["tags"] = pick([.null, ["a"], ["a", "b"]]) }
    if isLucky(40) {
      // Mostly in order, sometimes from long ago.
      let minute = isLucky(85) ? count / 60 % 60 : 0
      let second = isLucky(85) ? count % 60 : 0
      report["reported_at"] = .string(
        "2026-01-01T00:\(minute < 10 ? "0" : "")\(minute):\(second < 10 ? "0" : "")\(second)Z")
    }
    return report
  }

  /// Each kind keeps its part of the tokens; some devices mix them up.
  private mutating func credentials() -> JSON {
    var credentials: JSON = [:]
    let half = tokens.count / 2
    for (kind, own) in [("apns", tokens[..<half]), ("voip", tokens[half...])] {
      switch Int.random(in: 0..<100, using: &random) {
      case ..<60: credentials[kind] = ["token": .string(pick(Array(own)))]
      case ..<65: credentials[kind] = ["token": .string(pick(tokens))]
      case ..<75: credentials[kind] = .null
      default: break
      }
    }
    return credentials
  }
}
