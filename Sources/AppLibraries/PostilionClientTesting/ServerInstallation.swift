import Foundation
import PostilionClient

/// What a server stores of an installation.
struct ServerInstallation {
  /// A token, and since when the installation has it.
  struct Token: Hashable {
    /// Lower-case hex.
    var token: String
    /// Where it is good.
    var environment: String
    /// What was told of it.
    var details: [String: PayloadValue] = [:]
    /// When it came.
    var registeredAt: Date
  }

  /// Its name.
  let id: UUID
  /// `nil` until an app has claimed it.
  var secret: String?
  /// The system of the device.
  var platform: String
  /// The environment of its build.
  var environment: String
  /// By kind and names.
  var tokens: [ServerPlace: Token] = [:]
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
    return report.credentials.brought.contains { $1.token == tokens[$0]?.token }
  }

  /// A report that brings one token as two kinds; `nil` if it does not.
  func sharedToken(_ report: ServerReport) -> ServerFault? {
    func token(_ kind: String) -> String? {
      report.credentials.mentions([kind])
        ? report.credentials.brought[[kind]]?.token : tokens[[kind]]?.token
    }
    guard let shared = token("apns"), token("voip") == shared else { return nil }
    let kind = report.credentials.brought[["voip"]]?.token == shared ? "voip" : "apns"
    return ServerFault("/credentials/\(kind)/token", "token_kind_mismatch")
  }

  /// Takes over what was known of an installation that it continues, where it says nothing itself.
  mutating func inherit(_ other: Self, _ report: ServerReport) {
    if report.user == nil { user = user ?? other.user }
    fields.merge(other.fields) { own, _ in own }
  }

  /// Forgets its person, and what was noted of them.
  mutating func leavePerson() {
    user = nil
    fields["tags"] = nil
    fields["attributes"] = nil
  }

  /// Applies a report.
  mutating func apply(_ report: ServerReport, at now: Date) {
    platform = report.platform ?? platform
    apply(report.credentials, build: report.environment ?? environment, at: now)
    environment = report.environment ?? environment
    for (name, value) in report.fields { fields[name] = value }
    if let user = report.user { self.user = user.string }
    // A device whose clock is ahead must not shut out its own later reports.
    if let time = report.reportedAt { reportedAt = max(min(time, now), reportedAt ?? time) }
    updatedAt = now
  }

  /// Applies what a report says of tokens. With another environment those of the former one go.
  private mutating func apply(
    _ report: ServerCredentials, build: String, at now: Date
  ) {
    let before = tokens
    tokens = before.filter { place, held in
      let isOfFormerBuild =
        build != environment && held.environment != ServerKind.environment(of: place, build: build)
      return !isOfFormerBuild && !report.removed.contains { place.starts(with: $0) }
    }
    for (place, brought) in report.brought {
      let environment =
        brought.environment ?? ServerKind.environment(of: place, build: build)
      let held = before[place]
      let isSame = held?.token == brought.token && held?.environment == environment
      tokens[place] = Token(
        token: brought.token, environment: environment, details: brought.details,
        registeredAt: isSame ? held?.registeredAt ?? now : now)
    }
    makeRoom()
  }

  /// Drops the oldest tokens of a kind that has too many.
  private mutating func makeRoom() {
    for kind in ServerKind.nameCounts.keys {
      let own = tokens.filter { $0.key.first == kind }
      guard own.count > ServerKind.maximumNames else { continue }
      let byAge = own.sorted {
        $0.value.registeredAt == $1.value.registeredAt
          ? $0.key.lexicographicallyPrecedes($1.key)
          : $0.value.registeredAt < $1.value.registeredAt
      }
      for (place, _) in byAge.prefix(own.count - ServerKind.maximumNames) { tokens[place] = nil }
    }
  }

  /// The tokens whose places begin with a place, as an answer shows them.
  private func shown(below place: ServerPlace) -> PayloadValue {
    if let token = tokens[place] { return token.object(at: place) }
    let names = Set(tokens.keys.filter { $0.starts(with: place) }.map { $0[place.count] })
    let members = names.map { ($0, shown(below: place + [$0])) }
    return .object(Dictionary(uniqueKeysWithValues: members))
  }

  /// The schema `Installation`.
  var object: [String: PayloadValue] {
    var object: [String: PayloadValue] = [
      "installation_id": .string(id.uuidString.lowercased()), "platform": .string(platform),
      "environment": .string(environment),
      "credentials": shown(below: []),
      "user": user.map { ["id": .string($0)] } ?? nil, "language_override": nil,
      "reported_at": reportedAt.map { .string(ServerTime.text($0)) } ?? nil,
      "created_at": .string(ServerTime.text(createdAt)),
      "updated_at": .string(ServerTime.text(updatedAt)),
      "last_seen_at": .string(ServerTime.text(updatedAt)),
    ]
    for name in ProfileRule.all.keys + ["bundle_id"] {
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

extension ServerInstallation.Token {
  /// The schema `Credential`, and `OtherCredential` for kinds that are not the build's.
  fileprivate func object(at place: ServerPlace) -> PayloadValue {
    var object = details
    object["token"] = .string(token)
    object["status"] = "active"
    object["registered_at"] = .string(ServerTime.text(registeredAt))
    object["invalidated_at"] = .null
    object["reason"] = .null
    if place.count > 1 || !ServerKind.ofBuild.contains(place[0]) {
      object["environment"] = .string(environment)
    }
    return .object(object)
  }
}
