import AppTesting
import Foundation
import Postgres
import Testing

@testable import App
@testable import Registry

/// Whoever has the client key, which ships inside the app, cannot collect other people's tokens,
/// and cannot keep those from their owners.
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
      name: "in a call that was under way for an hour", count: 10, since: 3600, after: 0,
      outcome: "refused for 90000 s"),
    Row(
      name: "before the clock went back by more", count: 10, since: 3601, after: 0,
      outcome: "1 since 0"),
    Row(
      name: "the backend is not bounded", count: 10, since: 0, source: .backend,
      outcome: "11 since 0"),
    Row(
      name: "an import is not bounded", count: 500, since: 0, source: .import,
      outcome: "501 since 0"),
    Row(
      name: "an import has no end", count: .max, since: 0, source: .import,
      outcome: "32767 since 0"),
  ]

  @Test(arguments: rows)
  func takeoversOfATokenWithinADayAreBounded(row: Row) throws {
    let takeovers = Takeovers(count: row.count, since: row.since.map(Case.time))
    let report = try Case.parse(Case.tokens(apns: "a2"))
    let basis = Registration.Basis(
      appID: 1, id: Case.own, stored: Case.device,
      owners: [Case.key("a2"): TokenOwner(id: Case.other, takeovers: takeovers)],
      now: Case.time(row.after), source: row.source)
    do {
      let entries = try Registration.decide(basis, report).transition.ledgerEntries
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

  // MARK: Coming back

  /// What happens to the token of O, in this order, and what comes of it.
  struct Story: Sendable, CustomTestStringConvertible {
    let name: String
    /// `O T1 U+24 N/backend -`: O takes it, T1 does, U a day later, the backend gives it to N, and
    /// N gives it up. Small letters have no secret; one with `'` was made anew meanwhile.
    let steps: String
    /// What is counted at each step, and who may come back at the end: `1 2 10 | O T`.
    let outcome: String

    var testDescription: String { name }
  }

  static let stories: [Story] = [
    Story(name: "the worked example", steps: "O T U O T", outcome: "free 1 2 10 refused |"),
    Story(
      name: "a thief uses up the day, and the owner gets it back at once, and keeps it",
      steps: "O A B C D E F G H I J K O K A+23",
      outcome: "free 1 2 3 4 5 6 7 8 9 10 refused 10 refused refused |"),
    Story(
      name: "the day after, the thief may take it once, until the owner's next report",
      steps: "O T O T T+24 O T", outcome: "free 1 10 refused 1 10 refused |"),
    Story(
      name: "a thief who uses up each day before the owner's report does not outrank it",
      steps: "O A+1 B C D E F G H I J K L+24 M N P Q R S U V W X Y+24 Z O A",
      outcome: "free 1 2 3 4 5 6 7 8 9 10 refused 1 2 3 4 5 6 7 8 9 10 refused 1 2 10 refused |"),
    Story(
      name: "the owner's successor, such as the app installed anew, comes back too",
      steps: "O N T N O", outcome: "free 1 2 10 10 |"),
    Story(
      name: "a thief does not come back from the owner, who came after them to a token of no one",
      steps: "O T - O T O", outcome: "free 1 free 2 10 |"),
    Story(
      name: "one that gave it up is counted when it comes back", steps: "O - T O T",
      outcome: "free free 1 10 | "),
    Story(name: "without a secret no one comes back", steps: "o T o", outcome: "free 1 2 | T"),
    Story(
      name: "one that was made anew under the same name is another one", steps: "O T O'",
      outcome: "free 1 2 | T"),
    Story(
      name: "the backend decides, and no one comes back", steps: "O T N/backend O N",
      outcome: "free 1 2 3 10 |"),
    Story(
      name: "so does an import", steps: "O N/import O", outcome: "free 1 2 | N"),
    Story(
      name: "the one it was taken from by the backend comes back no more",
      steps: "O A B C D E F G H I J N/backend O",
      outcome: "free 1 2 3 4 5 6 7 8 9 10 11 refused |"),
  ]

  @Test(arguments: stories)
  func anInstallationComesBackForItsToken(story: Story) throws {
    var ledger = Ledger()
    let outcomes = try story.steps.split(separator: " ").map { try ledger.step(String($0)) }
    let former = ledger.takeovers.formerOwners.map { ledger.names[$0.id] ?? "?" }
    let expected = story.outcome.split(separator: " ").joined(separator: " ")
    let told = (outcomes + ["|"] + former).filter { !$0.isEmpty }
    #expect(told.joined(separator: " ") == expected)
  }

  /// A thief cannot drive the owner out of the list.
  @Test func theFirstOwnersAreKept() throws {
    var ledger = Ledger()
    _ = try ledger.step("O")
    for number in 0..<40 { _ = try ledger.step("T\(number)\(number % 10 == 0 ? "+24" : "")") }
    #expect(ledger.takeovers.formerOwners.count == RegistryLimits.formerOwners)
    #expect(try ledger.step("T40+24") == "1")
    #expect(try ledger.step("O") == "10")
    #expect(ledger.takeovers.formerOwners == [])
  }

  // MARK: Over HTTP

  @Test(arguments: Transport.allCases)
  func aThiefCannotKeepATokenFromItsOwner(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let token = Sample.token()
    var owner = app.client
    owner.secret = "made-by-the-app-and-kept-in-its-keychain"
    let own = app.installation(Sample.id())
    #expect(try await owner.put(own, Sample.report(token)).status == 201)

    // With the key out of the app: a new installation each time.
    var thief = app.client
    thief.secret = "made-by-the-thief-for-all-that-he-makes"
    let stolen = (0..<14).map { _ in app.installation(Sample.id()) }
    for path in stolen.prefix(10) {
      #expect(try await thief.put(path, Sample.report(token)).status == 201)
    }
    let refused = try await thief.put(stolen[10], Sample.report(token))
    #expect(refused.status == 429)
    #expect(refused.problem == "token_takeovers_exceeded")
    let wait = try #require(refused["retry-after"].flatMap { Int($0) })
    #expect((86_000...86_400).contains(wait))

    // The app is launched: the token is its own again, at once.
    let launched = try await owner.put(own, Sample.report(token))
    #expect(launched.status == 200)
    #expect(launched.json["credentials"]["apns"]["token"] == .string(token))
    #expect(try await app.admin.get(stolen[9]).json["credentials"] == [:])
    // Now no one else gets it: not the installations that had it, and no new one.
    for path in [stolen[9], stolen[0], stolen[11]] {
      let again = try await thief.put(path, Sample.report(token))
      #expect(again.problem == "token_takeovers_exceeded")
      #expect(again["retry-after"].flatMap { Int($0) } ?? 0 > 86_000)
    }
    #expect(try await owner.put(own, Sample.report(token)).status == 200)
    #expect(
      try await app.admin.get(own).json["credentials"]["apns"]["token"] == .string(token))

    // Without the owner's secret nobody comes back in its name.
    #expect(try await thief.put(own, Sample.report(token)).problem == "installation_secret_wrong")
    // The backend may do as it likes.
    #expect(try await app.sender.put(stolen[12], Sample.report(token)).status == 201)
    #expect(try await owner.put(own, Sample.report(token)).problem == "token_takeovers_exceeded")
    #expect(try await app.sender.put(own, Sample.report(token)).status == 200)
  }

  @Test(arguments: Transport.allCases)
  func givingATokenUpDoesNotBeginTheCountAnew(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let token = Sample.token()
    var client = app.client
    client.secret = "made-by-the-app-and-kept-in-its-keychain"
    let paths = (0..<13).map { _ in app.installation(Sample.id()) }
    for path in paths.prefix(11) {
      #expect(try await client.put(path, Sample.report(token)).status == 201)
    }
    let refused = try await client.put(paths[11], Sample.report(token))
    #expect(refused.problem == "token_takeovers_exceeded")
    // It is not locked up, either.
    #expect(try await client.delete("\(paths[10])/credentials/apns").status == 204)
    #expect(try await client.put(paths[11], Sample.report(token)).status == 201)
    let again = try await client.put(paths[12], Sample.report(token))
    #expect(again.problem == "token_takeovers_exceeded")
  }
}

/// The ledger's row of one token, and the installations that take it.
private struct Ledger {
  private typealias Case = RegistrationCase

  private(set) var takeovers = Takeovers()
  private(set) var names: [InstallationID: String] = [:]
  private var owner: InstallationID?
  private var made: [String: Installation] = [:]
  private var now: Int64 = 0

  /// Does what a word says.
  /// - Returns: What was counted.
  mutating func step(_ word: String) throws -> String {
    now += 60
    if word == "-" {
      owner = nil
      return ""
    }
    let parts = word.split(separator: "/").map(String.init)
    let timed = parts[0].split(separator: "+").map(String.init)
    if timed.count > 1 { now += (Int64(timed[1]) ?? 0) * 3600 }
    let taker = installation(timed[0])
    let source = parts.count > 1 ? TokenEvent.Source(rawValue: parts[1]) ?? .app : .app
    defer { names[taker.id] = timed[0] }
    let key = Case.key("a2")
    let basis = Registration.Basis(
      appID: 1, id: taker.id, stored: taker,
      owners: owner.map { [key: TokenOwner(id: $0, takeovers: takeovers)] } ?? [:],
      now: Case.time(now), source: source)
    do {
      let report = try Case.parse(Case.tokens(apns: "a2"))
      let entries = try Registration.decide(basis, report).transition.ledgerEntries
      let entry = try #require(entries.first { $0.owner != nil })
      #expect(entry.previousOwner == owner)
      owner = taker.id
      guard let counted = entry.takeovers else { return "free" }
      takeovers = counted
      return "\(counted.count)"
    } catch RegistryFailure.takeovers {
      return "refused"
    }
  }

  /// The installation of a name, which is there since its first step.
  private mutating func installation(_ name: String) -> Installation {
    if let known = made[name] { return known }
    let plain = name.filter { $0 != "'" }
    var new = Case.device {
      $0.id = made[plain]?.id ?? InstallationID(UUID())
      $0.createdAt = Case.time(now)
      $0.secretHash = plain == plain.uppercased() ? [1] : nil
    }
    new.credentials = .init()
    made[name] = new
    return new
  }
}
