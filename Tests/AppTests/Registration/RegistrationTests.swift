import DeviceProfile
import Foundation
import HTTP
import JSON
import Postgres
import Testing

@testable import App
@testable import Registry

@Suite struct RegistrationTests {
  typealias Case = RegistrationCase

  private func decide(_ row: Case) throws -> Registration.Decision {
    try Registration.decide(
      .init(
        appID: 1, id: Case.own, stored: row.stored, owners: row.owners,
        holders: row.holders.reduce(into: [:]) { $0[$1.id] = $1 }, languageOverride: row.chosen,
        now: Case.time(row.after), source: row.source,
        newSecretHash: row.source == .app ? [9] : nil),
      try Case.parse(row.report))
  }

  @Test(arguments: Case.all)
  func eachReportHasItsDecision(row: Case) throws {
    let decision = try decide(row)
    let (stored, next) = (row.stored, decision.installation)
    #expect(decision.effect == row.outcome)
    let entries = decision.transition.ledgerEntries
    let claims = entries.filter { $0.owner != nil }.map { entry in
      entry.token.key.testDescription + (entry.previousOwner.map { " from \($0.word)" } ?? "")
    }
    #expect(claims == row.claims)
    #expect(
      entries.filter { $0.owner == nil }.map(\.token.key.testDescription) == row.releases)
    #expect(decision.transition.events.map(\.summary) == row.events)
    #expect(row.check(next))
    #expect(
      decision.issuesSecret
        == (stored?.secretHash == nil && decision.writesInstallation && row.source == .app))
    #expect(next.revision == (stored?.revision ?? 0) + (decision.writesRow ? 1 : 0))
    #expect(next.createdAt == stored?.createdAt ?? Case.time(row.after))
    if decision.writesInstallation { #expect(next.updatedAt == Case.time(row.after)) }
    #expect(decision.writesRow == (decision.writesInstallation || row.renewsTimes))
    if !decision.writesRow { #expect(next == stored) }
  }

  /// Whoever loses a token loses nothing else, and history tells of it once.
  @Test(arguments: Case.all.filter { !$0.owners.isEmpty })
  func aReportTakesTokensFromOthers(row: Case) throws {
    let decision = try decide(row)
    for (id, tokens) in decision.displaced {
      var former = Case.device
      former.id = id
      for token in tokens {
        former.credentials[token.kind] = .active(
          token.token, in: token.environment, at: Case.start)
      }
      let loss = Transition(
        from: former, to: former.losing(tokens, at: decision.at), at: decision.at,
        .init(.app, movedAway: tokens))
      #expect(loss.events.isEmpty)
      #expect(loss.ledgerEntries.isEmpty)
    }
    let losers = decision.displaced.keys.map(\.word).sorted()
    let told = decision.transition.events.compactMap { $0.from?.word }
    #expect(losers == Set(told).sorted())
  }

  @Test(
    arguments: [
      (
        nil, #"{"languages": ["en"]}"#,
        ["/platform missing_field", "/environment missing_field"]
      ),
      (nil, #"{"platform": "ios"}"#, ["/environment missing_field"]),
      // The token of the other kind.
      (
        Case.device, Case.tokens(voip: "a1"),
        ["/credentials/voip/token token_kind_mismatch"]
      ),
      (
        Case.device, Case.tokens(apns: "b1"),
        ["/credentials/apns/token token_kind_mismatch"]
      ),
      // … while the other kind gets a new one, is given up, or is out of use.
      (
        Case.device, Case.tokens(apns: "b1", voip: "b2"),
        ["/credentials/apns/token token_kind_mismatch"]
      ),
      (
        Case.device, Case.tokens(apns: "a2", voip: "a1"),
        ["/credentials/voip/token token_kind_mismatch"]
      ),
      (
        Case.device, Case.tokens(apns: "b1", voip: "null"),
        ["/credentials/apns/token token_kind_mismatch"]
      ),
      (
        Case.fedBack(.invalid, [.voip]), Case.tokens(apns: "b1"),
        ["/credentials/apns/token token_kind_mismatch"]
      ),
      (
        Case.fedBack(.quarantined), Case.tokens(voip: "a1"),
        ["/credentials/voip/token token_kind_mismatch"]
      ),
      // … in the other environment.
      (
        Case.device,
        #"{"environment": "sandbox", "credentials": "#
          + #"{"apns": \#(Case.json("a2")), "voip": \#(Case.json("a1"))}}"#,
        ["/credentials/voip/token token_kind_mismatch"]
      ),
      // One token for both.
      (
        Case.device, Case.tokens(apns: "c1", voip: "c1"),
        ["/credentials/apns/token token_kind_mismatch"]
      ),
      (
        nil,
        #"{"platform": "ios", "environment": "production", "credentials": "#
          + #"{"apns": \#(Case.json("c1")), "voip": \#(Case.json("c1"))}}"#,
        ["/credentials/apns/token token_kind_mismatch"]
      ),
    ] as [(Installation?, String, [String])])
  func reportsThatCannotBeAppliedAreRefused(stored: Installation?, report: String, faults: [String])
  {
    #expect {
      try decide(Case(name: "", stored: stored, report: report, outcome: .created))
    } throws: { error in
      guard case RegistryFailure.input(let failure) = error else { return false }
      return failure.problems.map { "\($0.pointer) \($0.code)" } == faults
    }
  }

  @Test(
    arguments: [
      (Case.device, #""languages": ["en"]"#, false), (Case.device, #""credentials": {}"#, false),
      (Case.device, #""credentials": {"apns": \#(Case.json("a2"))}"#, false),
      (Case.device, #""credentials": {"apns": null}"#, false),
      (Case.fedBack(.quarantined), #""credentials": {"apns": \#(Case.json("a1"))}"#, false),
      (Case.device, #""credentials": {"apns": \#(Case.json("a2")), "voip": null}"#, true),
      (Case.device, #""credentials": null"#, true),
      (Case.device { $0.credentials[.voip] = nil }, #""credentials": {"apns": null}"#, true),
      (Case.device { $0.credentials = .init() }, #""languages": ["en"]"#, true),
    ] as [(Installation, String, Bool)])
  func theEnvironmentChangesOnlyTogetherWithAllTokens(
    stored: Installation, more: String, isTaken: Bool
  ) throws {
    let row = Case(
      name: "", stored: stored, report: #"{"environment": "sandbox", \#(more)}"#, outcome: .updated)
    do {
      #expect(try decide(row).installation.environment == .sandbox)
      #expect(isTaken)
    } catch RegistryFailure.environmentNeedsTokens {
      #expect(!isTaken)
    }
  }

  @Test func onlyANewPersonNeedsAProof() throws {
    func person(_ json: String, _ stored: Installation?) throws -> String? {
      Registration.newUser(stored: stored, report: try Case.parse(json))
    }
    let decomposed = Case.device { $0.userID = "e\u{301}" }
    #expect(try person("{}", Case.device) == nil)
    #expect(try person(#"{"user": null}"#, Case.device) == nil)
    #expect(try person(#"{"user": {"id": null}}"#, Case.device) == nil)
    #expect(try person(#"{"user": {"id": "u42"}}"#, Case.device) == nil)
    #expect(try person(#"{"user": {"id": "u43"}}"#, Case.device) == "u43")
    #expect(try person(#"{"user": {"id": "u42"}}"#, nil) == "u42")
    #expect(try person(#"{"user": {"id": "\u00e9"}}"#, decomposed) != nil)
    #expect(try person(#"{"user": {"id": "e\u0301"}}"#, decomposed) == nil)
  }

  @Test func onlyNewTokensNeedTheirOwners() throws {
    func keys(_ json: String, _ stored: Installation?) throws -> [TokenKey] {
      Registration.newTokenKeys(stored: stored, report: try Case.parse(json))
    }
    let same = Case.tokens(apns: "a1")
    #expect(try keys(same, Case.device).isEmpty)
    #expect(try keys(same, nil).isEmpty)
    #expect(
      try keys(Case.tokens(apns: "a2"), Case.device) == [Case.key("a2")]
    )
    let moved = Case.tokens(apns: "a1").replacing(
      "{\"cred", with: #"{"environment": "sandbox", "cred"#)
    #expect(try keys(moved, Case.device) == [Case.key("a1", .apns, .sandbox)])
  }

  @Test func aDisplacedInstallationLosesTheTokenAndNothingElse() {
    let now = Timestamp(microseconds: Case.start.microseconds + 1)
    let next = Case.device.losing([Case.key("a1")], at: now)
    #expect(next.credentials[.apns] == nil)
    #expect(next.credentials[.voip] == Case.device.credentials[.voip])
    #expect(next.revision == 4)
    #expect(next.lastSeenAt == Case.start)
    let others = [Case.key("a1", .apns, .sandbox), Case.key("a2")]
    #expect(Case.device.losing(others, at: now).credentials == Case.device.credentials)
  }
}

extension Registration.Decision {
  /// Whether the row says something new.
  fileprivate var writesInstallation: Bool { effect == .created || effect == .updated }
}
