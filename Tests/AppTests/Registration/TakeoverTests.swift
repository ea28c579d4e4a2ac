import AppTesting
import Foundation
import Postgres
import Testing

@testable import App
@testable import Registry

/// Whoever has the client key, which ships inside the app, cannot collect other people's tokens.
@Suite struct TakeoverTests {
  private typealias Case = RegistrationCase

  /// An owner's count, who takes the token when, and what is counted then.
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    var count: Int16 = 0
    /// Seconds after the start; `nil` when the token never changed hands.
    var since: Int64?
    var source = TokenEvent.Source.app
    var after: Int64 = 60
    /// `1 since 60`, or after how many seconds it may be tried again.
    let outcome: String

    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "the first takeover", outcome: "1 since 60"),
    Row(name: "the second within a day", count: 1, since: 0, outcome: "2 since 0"),
    Row(name: "the tenth", count: 9, since: 0, outcome: "10 since 0"),
    Row(name: "the eleventh", count: 10, since: 0, outcome: "refused for 86340 s"),
    Row(name: "one of many", count: 99, since: 30, outcome: "refused for 86370 s"),
    Row(
      name: "in the last second of the day", count: 10, since: 0, after: 86_399,
      outcome: "refused for 1 s"),
    Row(name: "the next day", count: 10, since: 0, after: 86_400, outcome: "1 since 86400"),
    Row(name: "a day after few", count: 3, since: 0, after: 90_000, outcome: "1 since 90000"),
    Row(
      name: "the backend is not bounded", count: 10, since: 0, source: .backend,
      outcome: "11 since 0"),
    Row(
      name: "an import is not bounded", count: 500, since: 0, source: .import,
      outcome: "501 since 0"),
  ]

  @Test(arguments: rows)
  func takeoversOfATokenWithinADayAreBounded(row: Row) throws {
    let takeovers = Takeovers(count: row.count, since: row.since.map(Case.time))
    let report = try Case.parse(Case.tokens(apns: "a2"))
    let situation = Registration.Situation(
      appID: 1, id: Case.own, stored: Case.device,
      owners: [Case.key("a2"): TokenOwner(id: Case.other, takeovers: takeovers)],
      now: Case.time(row.after), source: row.source)
    do {
      let entries = try Registration.decide(situation, report).transition.ledgerEntries
      let counted = try #require(entries.first?.takeovers)
      let since = try #require(counted.since).microseconds - Case.start.microseconds
      #expect("\(counted.count) since \(since / 1_000_000)" == row.outcome)
    } catch RegistryFailure.takeovers(let seconds) {
      #expect("refused for \(seconds) s" == row.outcome)
    }
  }

  @Test func whatIsRotatedOrRegisteredIsNotCounted() throws {
    let report = try Case.parse(Case.tokens(apns: "a2"))
    let own = TokenOwner(id: Case.own, takeovers: Takeovers(count: 10, since: Case.start))
    for owners in [[:], [Case.key("a2"): own]] {
      let decision = try Registration.decide(
        .init(
          appID: 1, id: Case.own, stored: Case.device, owners: owners, now: Case.time(60)), report)
      #expect(decision.transition.ledgerEntries.allSatisfy { $0.takeovers == nil })
    }
  }

  @Test(arguments: Transport.allCases)
  func theEleventhTakeoverWaitsForTheNextDay(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let token = Sample.token()
    var devices: [(path: String, client: Client)] = []
    for _ in 0..<2 {
      let path = app.installation(Sample.id())
      var client = app.client
      let created = try await client.put(
        path, ["platform": "ios", "environment": "production"])
      client.secret = created.json["installation_secret"].string
      devices.append((path, client))
    }
    func take(_ turn: Int) async throws -> Reply {
      let device = devices[turn % 2]
      return try await device.client.put(device.path, Sample.report(token))
    }
    for turn in 0...10 { #expect(try await take(turn).status == 200) }
    let refused = try await take(11)
    #expect(refused.status == 429)
    #expect(refused.problem == "token_takeovers_exceeded")
    let wait = try #require(refused["retry-after"].flatMap { Int($0) })
    #expect((86_000...86_400).contains(wait))
    #expect(
      try await app.admin.get(devices[0].path).json["credentials"]["apns"]["token"]
        == .string(token))

    // Giving it up in between does not begin the count anew, and does not lock the token up.
    #expect(try await devices[0].client.delete("\(devices[0].path)/credentials/apns").status == 204)
    #expect(try await take(1).status == 200)
    #expect(try await take(0).problem == "token_takeovers_exceeded")

    // The backend may put it right.
    #expect(try await app.sender.put(devices[0].path, Sample.report(token)).status == 200)
    #expect(try await app.admin.get(devices[1].path).json["credentials"] == [:])
  }
}
