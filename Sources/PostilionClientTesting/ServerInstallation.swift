import Foundation
import PostilionClient

/// What a server stores of an installation.
struct ServerInstallation {
  /// A token, and since when the installation has it.
  struct Token: Hashable {
    /// Lower-case hex.
    var token: String
    /// When it came.
    var registeredAt: Date
  }

  /// Its name.
  let id: UUID
  /// `nil` until an app has claimed it.
  var secret: String?
  /// The system of the device.
  var platform: String
  /// The environment of all its tokens.
  var environment: String
  /// By kind.
  var tokens: [String: Token] = [:]
  /// Profile fields that were reported.
  var fields: [String: PayloadValue] = [:]
  /// The person; `nil` if it is nobody's.
  var user: String?
  /// The time of the newest report.
  var reportedAt: Date?
  /// When it was made.
  let createdAt: Date
  /// When the last report was applied.
  var updatedAt: Date

  /// An installation of its first report; `nil` if that lacks what it needs.
  init?(_ id: UUID, _ report: ServerReport, at now: Date) {
    guard let platform = report.platform, let environment = report.environment else { return nil }
    self.id = id
    self.platform = platform
    self.environment = environment
    createdAt = now
    updatedAt = now
  }

  /// Why a call may not reach it; `nil` if it may.
  func problem(of call: ServerCall) -> ServerAnswer? {
    guard call.isApp else { return nil }
    guard let secret else {
      return .problem(
        403, "installation_claim_needed", "The installation is not the app's yet")
    }
    guard let given = call.secret else {
      return .problem(
        403, "installation_secret_missing", "The installation's secret is needed")
    }
    return given == secret
      ? nil : .problem(403, "installation_secret_wrong", "The installation's secret is wrong")
  }

  /// Whether a report brings a token of it, in its environment, as only its app can.
  func isProven(by report: ServerReport) -> Bool {
    guard report.environment ?? environment == environment else { return false }
    return tokens.contains { kind, stored in report.tokens[kind] == .some(stored.token) }
  }

  /// A report that brings one token as two kinds; `nil` if it does not.
  func sharedToken(_ report: ServerReport) -> ServerFault? {
    func token(_ kind: String) -> String? { report.tokens[kind] ?? tokens[kind]?.token }
    guard let shared = token("apns"), token("voip") == shared else { return nil }
    let kind = report.tokens["voip"] == .some(shared) ? "voip" : "apns"
    return ServerFault("/credentials/\(kind)/token", "token_kind_mismatch")
  }

  /// Takes over what was known of an installation that it continues, where it says nothing itself.
  mutating func inherit(_ other: Self, _ report: ServerReport) {
    if report.user == nil { user = user ?? other.user }
    fields.merge(other.fields) { own, _ in own }
  }

  /// Applies a report.
  mutating func apply(_ report: ServerReport, at now: Date) {
    platform = report.platform ?? platform
    environment = report.environment ?? environment
    for (kind, token) in report.tokens {
      guard let token else {
        tokens[kind] = nil
        continue
      }
      if tokens[kind]?.token != token { tokens[kind] = Token(token: token, registeredAt: now) }
    }
    for (name, value) in report.fields { fields[name] = value }
    if let user = report.user { self.user = user.string }
    // A device whose clock is ahead must not shut out its own later reports.
    if let time = report.reportedAt { reportedAt = max(min(time, now), reportedAt ?? time) }
    updatedAt = now
  }

  /// The schema `Installation`.
  var object: [String: PayloadValue] {
    var object: [String: PayloadValue] = [
      "installation_id": .string(id.uuidString.lowercased()), "platform": .string(platform),
      "environment": .string(environment),
      "credentials": .object(
        tokens.mapValues { token in
          [
            "token": .string(token.token), "status": "active",
            "registered_at": .string(ServerTime.text(token.registeredAt)), "invalidated_at": nil,
            "reason": nil,
          ]
        }),
      "user": user.map { ["id": .string($0)] } ?? nil, "language_override": nil,
      "reported_at": reportedAt.map { .string(ServerTime.text($0)) } ?? nil,
      "created_at": .string(ServerTime.text(createdAt)),
      "updated_at": .string(ServerTime.text(updatedAt)),
      "last_seen_at": .string(ServerTime.text(updatedAt)),
    ]
    for name in ProfileRule.all.keys {
      let none: PayloadValue =
        switch name {
        case "languages", "capabilities", "tags": []
        case "localization": "auto"
        default: .null
        }
      let value = fields[name] ?? none
      object[name] = value == .null ? none : value
    }
    return object
  }
}
