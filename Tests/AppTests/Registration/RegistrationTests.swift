import Foundation
import HTTP
import JSON
import Postgres
import Testing

@testable import App

/// One situation, the report that comes in, and what is expected of the decision.
struct RegistrationCase: Sendable, CustomTestStringConvertible {
  let name: String
  var stored: Installation? = RegistrationCase.device
  var owners: [TokenKey: TokenOwner] = [:]
  var report: String
  /// Seconds after the stored state was written.
  var after: Int64 = 60
  let outcome: Registration.Outcome
  /// `production/apns/a1` or `production/apns/a1 from other`.
  var claims: [String] = []
  var releases: [String] = []
  var check: @Sendable (Installation) -> Bool = { _ in true }

  var testDescription: String { name }

  static let start = Timestamp(microseconds: 1_777_000_000_000_000)
  static let own = InstallationID(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
  static let other = InstallationID(UUID(uuid: (2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))

  static func json(_ byte: String) -> String {
    "{\"token\": \"\(String(repeating: byte, count: 32))\"}"
  }

  static func key(
    _ byte: String, _ kind: CredentialKind = .apns, _ environment: Environment = .production
  ) -> TokenKey {
    let bytes = Array(repeating: UInt8(byte, radix: 16) ?? 0, count: 32)
    guard let token = DeviceToken(bytes: bytes) else { preconditionFailure("32 bytes") }
    return TokenKey(environment: environment, kind: kind, token: token)
  }

  /// A device with token a1, VoIP token b1, French, last report at 100 s before.
  static let device: Installation = {
    var device = Installation(
      appID: 1, id: own, revision: 3, secretHash: [1], platform: .ios, environment: .production,
      createdAt: start, updatedAt: start, lastSeenAt: start)
    device.credentials.apns = .active(key("a1").token, at: start)
    device.credentials.voip = .active(key("b1").token, at: start)
    device.languages = ["fr-CA"]
    device.appVersion = "3.2.0"
    device.userID = "u42"
    device.tags = ["beta"]
    device.attributes = Attributes(["plan": .string("pro")])
    device.reportedAt = Timestamp(microseconds: start.microseconds - 100_000_000)
    return device
  }()

  static func device(_ change: (inout Installation) -> Void) -> Installation {
    var device = device
    change(&device)
    return device
  }

  /// The device as APNs' feedback left it.
  static func fedBack(_ status: CredentialStatus) -> Installation {
    device {
      $0.credentials.apns?.status = status
      $0.credentials.apns?.invalidatedAt = start
      $0.credentials.apns?.reason = "Unregistered"
    }
  }
}

@Suite struct RegistrationTests {
  typealias Case = RegistrationCase

  private func decide(_ row: Case) throws -> Registration.Decision {
    let body = try RegistrationReport.decode(Array(row.report.utf8)).body
    let now = Timestamp(microseconds: Case.start.microseconds + row.after * 1_000_000)
    return try Registration.decide(
      .init(
        appID: 1, id: Case.own, stored: row.stored, owners: row.owners, now: now,
        newSecretHash: [9]),
      body)
  }

  private func text(_ key: TokenKey) -> String {
    "\(key.environment.rawValue)/\(key.kind.rawValue)/\(key.token.hex.prefix(2))"
  }

  @Test("What a report changes", arguments: cases)
  func decisions(row: Case) throws {
    let decision = try decide(row)
    #expect(decision.outcome == row.outcome)
    let entries = decision.transition.ledgerEntries
    let claims = entries.filter { $0.owner != nil }.map { entry in
      text(entry.token.key) + (entry.previousOwner == Case.other ? " from other" : "")
    }
    #expect(claims == row.claims)
    #expect(entries.filter { $0.owner == nil }.map { text($0.token.key) } == row.releases)
    #expect(row.check(decision.installation))
    let hadSecret = row.stored?.secretHash != nil
    #expect(decision.issuesSecret == (!hadSecret && decision.writesInstallation))
    let revision = row.stored?.revision ?? 0
    #expect(decision.installation.revision == revision + (decision.writesInstallation ? 1 : 0))
    if row.outcome == .unchanged || row.outcome == .stale {
      #expect(decision.installation == row.stored)
    }
  }

  static let cases: [Case] = creations + launches + tokens + profiles + times

  static let creations: [Case] = [
    Case(
      name: "first launch of a new app", stored: nil,
      report: """
        {"platform": "ios", "environment": "production",
         "credentials": {"apns": \(Case.json("a1"))}}
        """,
      outcome: .created, claims: ["production/apns/a1"],
      check: { $0.secretHash == [9] && $0.credentials.apns?.status == .active }),
    Case(
      name: "first launch with both tokens", stored: nil,
      report: """
        {"platform": "ios", "environment": "sandbox",
         "credentials": {"apns": \(Case.json("a1")), "voip": \(Case.json("b1"))}}
        """,
      outcome: .created, claims: ["sandbox/apns/a1", "sandbox/voip/b1"]),
    Case(
      name: "first launch without a token, which APNs still owes", stored: nil,
      report: #"{"platform": "macos", "environment": "production", "languages": ["de"]}"#,
      outcome: .created, check: { $0.credentials == PerKind() && $0.languages == ["de"] }),
    Case(
      name: "the app was deleted and installed again: new id, old token", stored: nil,
      owners: [Case.key("a1"): TokenOwner(id: Case.other)],
      report: """
        {"platform": "ios", "environment": "production",
         "credentials": {"apns": \(Case.json("a1"))}}
        """,
      outcome: .created, claims: ["production/apns/a1 from other"]),
    Case(
      name: "created by a device whose clock is a year ahead", stored: nil,
      report: """
        {"platform": "ios", "environment": "production", "reported_at": "2036-01-01T00:00:00Z"}
        """,
      after: 0, outcome: .created, check: { $0.reportedAt == Case.start }),
    Case(
      name: "null fields at creation", stored: nil,
      report: """
        {"platform": "ios", "environment": "production", "credentials": null,
         "languages": null, "localization": null, "user": null}
        """,
      outcome: .created, check: { $0.languages.isEmpty && $0.localization == .auto }),
  ]

  static let launches: [Case] = [
    Case(name: "an empty report", report: "{}", outcome: .unchanged),
    Case(
      name: "an ordinary launch: same token, same profile",
      report: """
        {"platform": "ios", "environment": "production", "languages": ["fr-CA"],
         "credentials": {"apns": \(Case.json("A1")), "voip": \(Case.json("b1"))},
         "app_version": "3.2.0", "user": {"id": "u42"}, "tags": ["beta"],
         "attributes": {"plan": "pro"}, "reported_at": "2026-04-24T03:07:00Z"}
        """,
      outcome: .unchanged),
    Case(
      name: "the first launch after a day", report: "{}", after: 24 * 60 * 60, outcome: .touched,
      check: { $0.lastSeenAt > Case.start && $0.updatedAt == Case.start }),
    Case(
      name: "a launch just within the day", report: "{}", after: 24 * 60 * 60 - 1,
      outcome: .unchanged),
    Case(
      name: "an installation of the backend, first call of the app: it gets a secret",
      stored: Case.device { $0.secretHash = nil }, report: "{}", outcome: .updated,
      check: { $0.secretHash == [9] }),
    Case(
      name: "the secret of an installation stays", report: #"{"locale": "fr_CA"}"#,
      outcome: .updated, check: { $0.secretHash == [1] }),
  ]

  static let tokens: [Case] = [
    Case(
      name: "restored from a backup: a new token",
      report: "{\"credentials\": {\"apns\": \(Case.json("a2"))}}",
      outcome: .updated, claims: ["production/apns/a2"], releases: ["production/apns/a1"],
      check: {
        $0.credentials.apns?.token == Case.key("a2").token
          && $0.credentials.apns?.registeredAt != Case.start
          && $0.credentials.voip?.registeredAt == Case.start
      }),
    Case(
      name: "both tokens at once",
      report: "{\"credentials\": {\"apns\": \(Case.json("a2")), \"voip\": \(Case.json("b2"))}}",
      outcome: .updated, claims: ["production/apns/a2", "production/voip/b2"],
      releases: ["production/apns/a1", "production/voip/b1"]),
    Case(
      name: "a token that another installation has",
      owners: [Case.key("a2"): TokenOwner(id: Case.other)],
      report: "{\"credentials\": {\"apns\": \(Case.json("a2"))}}",
      outcome: .updated, claims: ["production/apns/a2 from other"],
      releases: ["production/apns/a1"]),
    Case(
      name: "a token that the ledger has as its own already (an interrupted writer)",
      owners: [Case.key("a2"): TokenOwner(id: Case.own)],
      report: "{\"credentials\": {\"apns\": \(Case.json("a2"))}}",
      outcome: .updated, claims: ["production/apns/a2"], releases: ["production/apns/a1"]),
    Case(
      name: "PushKit invalidated the VoIP token", report: #"{"credentials": {"voip": null}}"#,
      outcome: .updated, releases: ["production/voip/b1"],
      check: { $0.credentials.voip == nil && $0.credentials.apns != nil }),
    Case(
      name: "all credentials cleared", report: #"{"credentials": null}"#, outcome: .updated,
      releases: ["production/apns/a1", "production/voip/b1"]),
    Case(
      name: "a credential cleared that there is none of",
      stored: Case.device { $0.credentials.voip = nil },
      report: #"{"credentials": {"voip": null}}"#, outcome: .unchanged),
    Case(
      name: "installed again before APNs noticed: the invalid token comes back",
      stored: Case.fedBack(.invalid),
      report: "{\"credentials\": {\"apns\": \(Case.json("a1"))}}", outcome: .updated,
      check: {
        $0.credentials.apns?.status == .active && $0.credentials.apns?.invalidatedAt == nil
          && $0.credentials.apns?.reason == nil && $0.credentials.apns?.registeredAt != Case.start
      }),
    Case(
      name: "a quarantined token comes back", stored: Case.fedBack(.quarantined),
      report: "{\"credentials\": {\"apns\": \(Case.json("a1"))}}", outcome: .updated,
      check: { $0.credentials.apns?.status == .active }),
    Case(
      name: "an invalid token stays so when the app says nothing of it",
      stored: Case.fedBack(.invalid), report: #"{"locale": "fr_CA"}"#, outcome: .updated,
      check: { $0.credentials.apns?.status == .invalid }),
    Case(
      name: "the build changed from the App Store to Xcode, tokens not yet known",
      report: #"{"environment": "sandbox"}"#, outcome: .updated,
      claims: ["sandbox/apns/a1", "sandbox/voip/b1"],
      releases: ["production/apns/a1", "production/voip/b1"],
      check: { $0.credentials.apns?.registeredAt != Case.start }),
    Case(
      name: "the build changed and repeats a token: it counts as registered now",
      report: """
        {"environment": "sandbox", "credentials": {"apns": \(Case.json("a1")), "voip": null}}
        """,
      outcome: .updated, claims: ["sandbox/apns/a1"],
      releases: ["production/apns/a1", "production/voip/b1"],
      check: { $0.credentials.apns?.registeredAt != Case.start }),
    Case(
      name: "the build changed and brings its new token",
      report: """
        {"environment": "sandbox", "credentials": {"apns": \(Case.json("a2")), "voip": null}}
        """,
      outcome: .updated, claims: ["sandbox/apns/a2"],
      releases: ["production/apns/a1", "production/voip/b1"]),
    Case(
      name: "the tokens were in the wrong fields and change places",
      report: "{\"credentials\": {\"apns\": \(Case.json("b1")), \"voip\": \(Case.json("a1"))}}",
      outcome: .updated, claims: ["production/apns/b1", "production/voip/a1"],
      releases: ["production/apns/a1", "production/voip/b1"]),
  ]

  static let profiles: [Case] = [
    Case(
      name: "the person changes the language", report: #"{"languages": ["en-GB", "fr-CA"]}"#,
      outcome: .updated, check: { $0.languages == ["en-GB", "fr-CA"] && $0.userID == "u42" }),
    Case(
      name: "the app was updated", report: #"{"app_version": "3.3.0"}"#, outcome: .updated,
      check: { $0.appVersion == "3.3.0" && $0.languages == ["fr-CA"] }),
    Case(
      name: "log out by null", report: #"{"user": null}"#, outcome: .updated,
      check: { $0.userID == nil && $0.credentials.apns != nil }),
    Case(
      name: "log out by a null id", report: #"{"user": {"id": null}}"#, outcome: .updated,
      check: { $0.userID == nil }),
    Case(
      name: "another person logs in", report: #"{"user": {"id": "u43"}}"#, outcome: .updated,
      check: { $0.userID == "u43" }),
    Case(
      name: "notifications were switched off",
      report: #"{"authorization": {"status": "denied", "alert": false}}"#, outcome: .updated,
      check: { $0.authorization?.json == #"{"alert":false,"status":"denied"}"# }),
    Case(
      name: "the same permissions, switches in another order",
      stored: Case.device {
        $0.authorization = Authorization(json: #"{"alert":true,"status":"authorized"}"#)
      },
      report: #"{"authorization": {"status": "authorized", "alert": true}}"#, outcome: .unchanged),
    Case(
      name: "tags cleared", report: #"{"tags": null}"#, outcome: .updated,
      check: { $0.tags.isEmpty && $0.attributes != nil }),
    Case(
      name: "attributes are replaced, not merged", report: #"{"attributes": {"seats": 4}}"#,
      outcome: .updated, check: { $0.attributes?.json == #"{"seats":4}"# }),
    Case(
      name: "a language chosen by the backend survives the app's reports",
      stored: Case.device { $0.languageOverride = "de" }, report: #"{"languages": ["en"]}"#,
      outcome: .updated, check: { $0.languageOverride == "de" }),
  ]

  static let times: [Case] = [
    Case(
      name: "a report from the offline queue, older than the stored one",
      report: """
        {"credentials": {"apns": \(Case.json("a9"))}, "languages": ["de"],
         "reported_at": "2026-04-24T03:04:00Z"}
        """,
      outcome: .stale),
    Case(
      name: "an old report of an unchanged device",
      report: #"{"reported_at": "2020-01-01T00:00:00Z"}"#,
      outcome: .stale),
    Case(
      name: "a report of the same instant is applied",
      report: #"{"languages": ["de"], "reported_at": "2026-04-24T03:05:00Z"}"#, outcome: .updated,
      check: { $0.languages == ["de"] }),
    Case(
      name: "a newer report",
      report: #"{"languages": ["de"], "reported_at": "2026-04-24T03:07:00Z"}"#,
      outcome: .updated, check: { $0.reportedAt?.rfc3339 == "2026-04-24T03:07:00Z" }),
    Case(
      name: "a clock ahead does not shut out later reports",
      report: #"{"languages": ["de"], "reported_at": "2030-01-01T00:00:00Z"}"#, outcome: .updated,
      check: { $0.reportedAt == Timestamp(microseconds: Case.start.microseconds + 60_000_000) }),
    Case(
      name: "a report without a time is applied and moves nothing",
      report: #"{"languages": ["de"]}"#, outcome: .updated,
      check: { $0.reportedAt == Case.device.reportedAt && $0.languages == ["de"] }),
    Case(
      name: "a report with a time where none was stored",
      stored: Case.device { $0.reportedAt = nil },
      report: #"{"languages": ["de"], "reported_at": "2020-01-01T00:00:00Z"}"#, outcome: .updated,
      check: { $0.reportedAt?.rfc3339 == "2020-01-01T00:00:00Z" }),
  ]

  @Test(
    "Reports that cannot be applied",
    arguments: [
      (
        nil, #"{"languages": ["en"]}"#,
        ["/platform missing_field", "/environment missing_field"]
      ),
      (nil, #"{"platform": "ios"}"#, ["/environment missing_field"]),
      (
        Case.device, "{\"credentials\": {\"voip\": \(Case.json("a1"))}}",
        ["/credentials/voip/token token_kind_mismatch"]
      ),
      (
        Case.device, "{\"credentials\": {\"apns\": \(Case.json("b1"))}}",
        ["/credentials/apns/token token_kind_mismatch"]
      ),
      (
        Case.device,
        "{\"credentials\": {\"apns\": \(Case.json("c1")), \"voip\": \(Case.json("c1"))}}",
        ["/credentials/apns/token token_kind_mismatch"]
      ),
    ] as [(Installation?, String, [String])])
  func refused(stored: Installation?, report: String, faults: [String]) {
    #expect {
      try decide(Case(name: "", stored: stored, report: report, outcome: .created))
    } throws: { error in
      guard case Registration.Refusal.input(let failure) = error else { return false }
      return failure.problems.map { "\($0.pointer) \($0.code)" } == faults
    }
  }

  @Test func onlyNewTokensNeedTheirOwners() throws {
    func keys(_ json: String, _ stored: Installation?) throws -> [TokenKey] {
      let report = try RegistrationReport.decode(Array(json.utf8)).body
      return Registration.newTokenKeys(stored: stored, report: report)
    }
    let same = "{\"credentials\": {\"apns\": \(Case.json("a1"))}}"
    #expect(try keys(same, Case.device).isEmpty)
    #expect(try keys(same, nil).isEmpty)
    #expect(
      try keys("{\"credentials\": {\"apns\": \(Case.json("a2"))}}", Case.device) == [Case.key("a2")]
    )
    #expect(
      try keys(#"{"environment": "sandbox"}"#, Case.device)
        == [Case.key("a1", .apns, .sandbox), Case.key("b1", .voip, .sandbox)])
  }

  @Test func aDisplacedInstallationLosesTheTokenAndNothingElse() {
    let now = Timestamp(microseconds: Case.start.microseconds + 1)
    let next = Case.device.losing([Case.key("a1")], at: now)
    #expect(next.credentials.apns == nil)
    #expect(next.credentials.voip == Case.device.credentials.voip)
    #expect(next.revision == 4)
    #expect(next.lastSeenAt == Case.start)
    let others = [Case.key("a1", .apns, .sandbox), Case.key("a2")]
    #expect(Case.device.losing(others, at: now).credentials == Case.device.credentials)
  }
}

extension Registration.Decision {
  /// Whether the row is written with a new revision.
  fileprivate var writesInstallation: Bool { outcome == .created || outcome == .updated }
}
