import Foundation
import Testing

@testable import PostilionClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What is sent, without any network.
@Suite struct RegistrationStateTests {
  private static let token = String(repeating: "a1", count: 32)
  private static let whole = """
    PUT {"app_build":"412","credentials":{"apns":{"token":"\(token)"}},\
    "environment":"production","languages":["fr-CA","en-CA"],"platform":"ios"}
    """

  private static func bytes(_ byte: UInt8) -> Data { Data(repeating: byte, count: 32) }

  @Test func nothingIsSentBeforeTheAppTellsSomething() {
    var conversation = Conversation()
    #expect(conversation.next == "rest")
    conversation.state.apply(.token(.apns, Self.bytes(0xA1)))
    #expect(conversation.next == Self.whole)
    #expect(conversation.answer(201)?.kind == .registered)
    #expect(conversation.next == "rest")
  }

  /// What the app tells an installation that is registered, and the report of it.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let changes: [RegistrationChange]
    let report: String
    init(_ name: String, _ changes: RegistrationChange..., report: String) {
      testDescription = name
      self.changes = changes
      self.report = report
    }
  }

  static let changes = [
    Change(
      "the same launch", .launched(Conversation.profile), .token(.apns, bytes(0xA1)),
      report: "rest"),
    Change(
      "another token", .token(.apns, bytes(0xB2)),
      report:
        #"PATCH {"credentials":{"apns":{"token":"\#(String(repeating: "b2", count: 32))"}}}"#),
    Change(
      "a token of calls that is gone", .token(.voip, bytes(1)),
      .credential(ReportPlace(.voip), .null),
      report: #"PATCH {"credentials":{"voip":null}}"#),
    Change(
      "there and back", .fields([.appBuild: "413"]), .fields([.appBuild: "412"]), report: "rest"),
    Change(
      "a language in the app", .language("en-CA"),
      report: #"PATCH {"languages":["en-CA","fr-CA"]}"#),
    Change("a language and back", .language("de"), .language(nil), report: "rest"),
    Change(
      "a person", .signedIn("u42", proof: "a.b.c"),
      report: #"PATCH {"user":{"id":"u42","token":"a.b.c"}}"#),
    Change(
      "nobody", .signedIn("u42", proof: nil), .signedOut,
      report: #"PATCH {"attributes":null,"tags":null,"user":null}"#),
    Change(
      "another environment", .fields([.environment: "sandbox"]),
      report: """
        PATCH {"credentials":{"apns":{"token":"\(token)"},"voip":null},"environment":"sandbox"}
        """),
    Change("no installation", .opted(isIn: false), report: "DELETE"),
    Change("no installation and back", .opted(isIn: false), .opted(isIn: true), report: "rest"),
    Change(
      "a failure",
      .failed(
        FailureReport(
          kind: .apns, domain: "NSCocoaErrorDomain", code: 3000, message: "no entitlement",
          occurredAt: Date(timeIntervalSince1970: 0))),
      report: """
        POST failures {"app_build":null,"environment":"production","error":{"code":3000,\
        "domain":"NSCocoaErrorDomain","message":"no entitlement"},"kind":"apns","platform":"ios"}
        """.replacingOccurrences(of: "\"app_build\":null,", with: "")),
  ]

  @Test(arguments: changes)
  func whatDiffersIsSent(_ change: Change) {
    var conversation = Conversation(registered: 0xA1)
    for change in change.changes { conversation.state.apply(change) }
    #expect(conversation.next == change.report)
  }

  @Test func whatIsUnderWayIsNotConfirmed() {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.fields([.appBuild: "413"]))
    let lost = conversation.send()
    #expect(lost != nil)
    // The answer never comes, and the app goes back: the server may have either.
    conversation.state.apply(.fields([.appBuild: "412"]))
    #expect(conversation.next == #"PATCH {"app_build":"412"}"#)
  }

  @Test func whatChangesMeanwhileIsSentNext() throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.fields([.appBuild: "413"]))
    let sent = conversation.send()
    let request = try #require(sent)
    conversation.state.apply(.fields([.appBuild: "414"]))
    conversation.answer(request, 200)
    #expect(conversation.next == #"PATCH {"app_build":"414"}"#)
  }

  /// A request without an answer may arrive behind the next one: all is said once more, later.
  @Test(arguments: [true, false])
  func aRequestWithoutAnAnswerIsFollowedByAWholeReport(aProcessEnded: Bool) throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.fields([.appBuild: "413"]))
    let sent = conversation.send()
    let request = try #require(sent)
    if !aProcessEnded {
      conversation.fail(request, URLError(.networkConnectionLost))
      conversation.now += 1
    }
    #expect(conversation.next == #"PATCH {"app_build":"413"}"#)
    conversation.answer(200)
    #expect(conversation.next == (aProcessEnded ? "wait 150.0" : "wait 149.0"))
    conversation.now += 150
    #expect(conversation.next.hasPrefix(#"PUT {"app_build":"413","credentials""#))
    conversation.answer(200)
    #expect(conversation.next == "rest")
  }

  @Test func aRequestThatNeverWentNeedsNoFurtherReport() throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.fields([.appBuild: "413"]))
    let sent = conversation.send()
    conversation.fail(try #require(sent), URLError(.notConnectedToInternet))
    conversation.state.apply(.woken)
    conversation.answer(200)
    #expect(conversation.next == "rest")
  }

  @Test func aRemovalIsMadeOnceMoreBehindALostReport() throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.fields([.appBuild: "413"]))
    let sent = conversation.send()
    conversation.fail(try #require(sent), URLError(.timedOut))
    conversation.state.apply(.opted(isIn: false))
    conversation.now += 1
    conversation.answer(204)
    #expect(conversation.next == "wait 149.0")
    conversation.now += 149
    #expect(conversation.next == "DELETE")
    conversation.answer(404, ["code": "installation_not_found"])
    #expect(conversation.next == "rest")
  }

  @Test func anInstallationThatIsGoneIsMadeAnew() {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.fields([.appBuild: "412.1"]))
    conversation.answer(404, ["code": "installation_not_found"])
    #expect(conversation.next.hasPrefix("PUT {\"app_build\":\"412.1\",\"credentials\""))
  }

  @Test func anUnchangedInstallationIsReportedOnceADay() {
    var conversation = Conversation(registered: 0xA1)
    conversation.now += 86_399
    #expect(conversation.next == "rest")
    conversation.now += 1
    #expect(conversation.next == Self.whole)
    conversation.answer(200)
    #expect(conversation.next == "rest")
    // A clock that was set back by years.
    conversation.now -= 100_000_000
    #expect(conversation.next == Self.whole)
    conversation.answer(200)
    #expect(conversation.next == "rest")
  }

  @Test func laterReportsHaveLaterTimes() throws {
    var conversation = Conversation(registered: 0xA1)
    let first = conversation.now
    conversation.now -= 5000
    conversation.state.apply(.fields([.appBuild: "413"]))
    let second = try #require(conversation.reportTime)
    #expect(second > first)
    // The server has a later time still, and takes nothing.
    let stored = first.addingTimeInterval(60)
    conversation.answer(
      200, ["applied": false, "reported_at": .string(ServerTime.text(stored))])
    #expect(conversation.next == #"PATCH {"app_build":"413"}"#)
    #expect(try #require(conversation.reportTime) > stored)
  }

  @Test func aClockThatIsAheadIsMeasured() throws {
    var conversation = Conversation(registered: 0xA1)
    let server = conversation.now.addingTimeInterval(60)
    conversation.now += 1_000_000
    conversation.state.apply(.fields([.appBuild: "413"]))
    conversation.answer(200, ["reported_at": .string(ServerTime.text(server))])
    conversation.now += 10
    conversation.state.apply(.fields([.appBuild: "414"]))
    let time = try #require(conversation.reportTime)
    #expect(abs(time.timeIntervalSince(server) - 10) < 0.01)
  }

  /// An answer to a report, what the app hears of it, and what comes next.
  static let answers: [(Int, String, PostilionEvent.Kind, String)] = [
    (503, "overloaded", .waiting, "wait 1.0"),
    (500, "internal_error", .waiting, "wait 1.0"),
    (401, "invalid_key", .waiting, "wait 1.0"),
    (404, "app_not_found", .waiting, "wait 1.0"),
    (429, "token_takeovers_exceeded", .waiting, "wait 1.0"),
    (409, "conflict", .waiting, "wait 1.0"),
    (302, "", .waiting, "wait 1.0"),
    (422, "invalid_input", .refused, "rest"),
    (413, "body_too_large", .refused, "rest"),
  ]

  @Test(arguments: answers)
  func answersAreUnderstood(
    _ status: Int, _ code: String, _ kind: PostilionEvent.Kind, _ next: String
  ) {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.fields([.appBuild: "413"]))
    let event = conversation.answer(status, ["code": .string(code)])
    #expect(event == PostilionEvent(kind, code: code))
    #expect(conversation.next == next)
  }

  @Test func aRefusedReportIsSentAgainWhenItChangesOrTheNextDay() {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.fields([.deviceModel: "x"]))
    conversation.answer(422, ["code": "invalid_input"])
    #expect(conversation.next == "rest")
    conversation.state.apply(.launched(Conversation.profile))
    #expect(conversation.next == "rest")
    conversation.state.apply(.fields([.deviceModel: "y"]))
    #expect(conversation.next == #"PATCH {"device_model":"y"}"#)
    conversation.state.apply(.fields([.deviceModel: "x"]))
    conversation.now += 86_400
    #expect(conversation.next.hasPrefix("PUT"))
  }

  /// A backend made the installation: the token that the system tells proves that it is this one.
  @Test func anInstallationOfABackendIsClaimedByTheToken() throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.launch()
    conversation.state.apply(.fields([.appBuild: "413"]))
    #expect(conversation.next == #"PATCH {"app_build":"413"}"#)
    let unclaimed: [String: PayloadValue] = ["code": "installation_claim_needed"]
    #expect(conversation.answer(403, unclaimed)?.code == "installation_claim_needed")
    #expect(conversation.next.hasPrefix(#"PUT {"app_build":"413","environment""#))
    conversation.answer(403, unclaimed)
    #expect(conversation.next == "rest")
    conversation.state.apply(.token(.apns, Self.bytes(0xA1)))
    let sent = conversation.send()
    let whole = try #require(sent)
    #expect(whole.method == .put)
    #expect(whole.bringsToken)
    let type = "urn:postilion:problem:installation_claim_needed"
    let body = try JSONEncoder().encode(unclaimed.merging(["type": .string(type)]) { $1 })
    let refused = RequestOutcome(TransportResponse(status: 403, body: body), to: whole)
    #expect(refused == .secretRefused)
    #expect(conversation.answer(whole, 200)?.kind == .registered)
    #expect(conversation.next == "rest")
  }

  @Test func aPageOfAHotelIsNoAnswer() throws {
    var conversation = Conversation()
    conversation.state.apply(.token(.apns, Self.bytes(0xA1)))
    let sent = conversation.send()
    let request = try #require(sent)
    let page = TransportResponse(status: 200, body: Data("<html>Welcome</html>".utf8))
    let outcome = RequestOutcome(page, to: request)
    guard case .failed = outcome else {
      Issue.record("\(outcome)")
      return
    }
    _ = conversation.state.ended(request, outcome, at: conversation.now, random: 0.5)
    #expect(conversation.next == "wait 1.0")
  }

  @Test func aPersonWithoutAProofIsLeftOutUntilThereIsANewOne() {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.signedIn("u42", proof: "old"))
    let event = conversation.answer(
      200,
      ["ignored": [["pointer": "/user", "code": "identity_token_expired", "detail": ""]]])
    #expect(event == PostilionEvent(.userUnproven, code: "identity_token_expired"))
    // Nobody else stays on the device.
    #expect(conversation.next == #"PATCH {"user":null}"#)
    conversation.answer(200)
    #expect(conversation.next == "rest")
    conversation.state.apply(.signedIn("u42", proof: "new"))
    #expect(conversation.next == #"PATCH {"user":{"id":"u42","token":"new"}}"#)
  }

  /// The answer for one person is not that for the next.
  @Test func aPersonWhoSignsInMeanwhileKeepsTheProof() throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.signedIn("first", proof: "old"))
    let sent = conversation.send()
    conversation.state.apply(.signedIn("second", proof: "new"))
    conversation.answer(
      try #require(sent), 200,
      ["ignored": [["pointer": "/user", "code": "identity_token_expired", "detail": ""]]])
    #expect(
      conversation.next
        == #"PATCH {"attributes":null,"tags":null,"user":{"id":"second","token":"new"}}"#)
  }

  /// Nor is the answer for one proof that for the next: it goes out, and nobody is signed out.
  @Test(arguments: ["old", nil] as [String?])
  func aProofThatComesMeanwhileIsSent(_ first: String?) throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.signedIn("u42", proof: first))
    let sent = conversation.send()
    conversation.state.apply(.signedIn("u42", proof: "new"))
    let event = conversation.answer(
      try #require(sent), 200,
      ["ignored": [["pointer": "/user", "code": "identity_unproven", "detail": ""]]])
    #expect(event?.kind == .registered)
    #expect(conversation.next == #"PATCH {"user":{"id":"u42","token":"new"}}"#)
    #expect(conversation.answer(200)?.kind == .registered)
    #expect(conversation.next == "rest")
  }

  @Test func aProofIsKeptForTheSamePersonOnly() {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.signedIn("u42", proof: "a.b.c"))
    conversation.state.apply(.signedIn("u42", proof: nil))
    #expect(conversation.next == #"PATCH {"user":{"id":"u42","token":"a.b.c"}}"#)
    conversation.state.apply(.signedIn("u43", proof: nil))
    #expect(
      conversation.next == #"PATCH {"attributes":null,"tags":null,"user":{"id":"u43"}}"#)
  }

  @Test func aSignOutIsSentThoughTheSignInBeforeItWasNotTaken() throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.signedIn("first", proof: "old"))
    let sent = conversation.send()
    conversation.state.apply(.signedOut)
    conversation.answer(
      try #require(sent), 200,
      ["ignored": [["pointer": "/user", "code": "identity_token_expired", "detail": ""]]])
    #expect(conversation.next == #"PATCH {"attributes":null,"tags":null,"user":null}"#)
  }

  @Test func anIntervalOfNothingIsAMinute() {
    let conversation = Conversation(registered: 0xA1)
    #expect(conversation.state.next(at: conversation.now, interval: 0) == .rest)
    let later = conversation.now.addingTimeInterval(60)
    guard case .send = conversation.state.next(at: later, interval: 0) else {
      Issue.record("nothing is sent")
      return
    }
  }

  /// The token of the last launch may be dead: it is not brought again by itself.
  @Test func aLaunchBeginsWithoutTokens() {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.launch()
    conversation.state.apply(.launched(Conversation.profile))
    #expect(conversation.next == "rest")
    conversation.now += 86_400
    #expect(conversation.next.hasPrefix(#"PUT {"app_build":"412","environment""#))
  }

  @Test func anotherEnvironmentEndsTheTokens() {
    var conversation = Conversation(registered: 0xA1)
    var profile = Conversation.profile
    profile[.environment] = "sandbox"
    conversation.state.launch()
    conversation.state.apply(.launched(profile))
    #expect(
      conversation.next
        == #"PATCH {"credentials":{"apns":null,"voip":null},"environment":"sandbox"}"#)
  }

  /// The server does not store the time of a report that changed nothing.
  @Test func anUnchangedReportIsNoClockThatIsAhead() throws {
    var conversation = Conversation(registered: 0xA1)
    let first = conversation.now
    conversation.now += 86_400
    conversation.answer(200, ["reported_at": .string(ServerTime.text(first))])
    conversation.now += 10
    conversation.state.apply(.fields([.appBuild: "413"]))
    let time = try #require(conversation.reportTime)
    #expect(abs(time.timeIntervalSince(conversation.now)) < 0.01)
  }

  /// Times are sent with milliseconds, and the clock has finer ones.
  @Test func aRoundedTimeIsNoClockThatIsAhead() throws {
    for fraction in stride(from: 0, to: 0.002, by: 0.000_1) {
      var conversation = Conversation()
      conversation.now += fraction
      let first = conversation.now
      conversation.state.apply(.token(.apns, Self.bytes(0xA1)))
      conversation.answer(200)
      conversation.now += 86_400
      conversation.answer(200, ["reported_at": .string(ServerTime.text(first))])
      #expect(conversation.state.clockLead == 0, "\(fraction)")
    }
  }

  /// A number, and as what it is sent and comes back from the file.
  @Test(
    arguments: [
      (.double(.nan), "null"), (.double(.infinity), "null"), (.double(3), "3"),
      (.double(-0.0), "0"), (.double(0.5), "0.5"), (.double(1e20), "100000000000000000000"),
      (.longInteger(5), "5"), (.longInteger(.nan), "null"), ([.double(.nan), 1], "[null,1]"),
      (["a": .double(.nan)], #"{"a":null}"#),
    ] as [(PayloadValue, String)])
  func aNumberIsSentOnce(_ value: PayloadValue, _ text: String) throws {
    var conversation = Conversation(registered: 0xA1)
    let change = RegistrationChange.fields([.attributes: ["number": value]])
    conversation.state.apply(change)
    #expect(
      conversation.next
        == (text == "null" ? "rest" : #"PATCH {"attributes":{"number":\#(text)}}"#))
    var refused = conversation
    conversation.answer(200)
    #expect(conversation.next == "rest")
    conversation.state = try JSONDecoder().decode(
      RegistrationState.self, from: JSONEncoder().encode(conversation.state))
    conversation.state.apply(change)
    #expect(conversation.next == "rest")
    refused.answer(422, ["code": "invalid_input"])
    refused.state.apply(change)
    #expect(refused.next == "rest")
  }

  @Test func aNumberOfAWidgetIsSentOnce() {
    var conversation = Conversation(registered: 0xA1)
    for _ in 0..<2 {
      conversation.state.apply(
        .credential(ReportPlace(.widgets), ["token": "b2", "widgets": [["n": .double(.nan)]]]))
      conversation.answer(200)
      #expect(conversation.next == "rest")
    }
    #expect(conversation.state.wanted[.widgets]?["widgets"] == [["n": .null]])
  }

  /// The server still has the installation: the app learns that, and it is tried once a day.
  @Test(
    arguments: [
      (400, "invalid_json"), (413, "body_too_large"), (415, "unsupported_media_type"),
      (422, "invalid_input"), (403, "installation_claim_needed"),
      (403, "installation_secret_wrong"),
    ])
  func aRemovalThatIsRefusedIsDueTheNextDay(_ status: Int, _ code: String) throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.opted(isIn: false))
    let sent = conversation.send()
    let request = try #require(sent)
    let problem = ["code": code, "type": "urn:postilion:problem:\(code)"]
    let body = try JSONEncoder().encode(problem)
    let outcome = RequestOutcome(TransportResponse(status: status, body: body), to: request)
    #expect(outcome == .refused(code))
    let event = conversation.answer(request, status, ["code": .string(code)])
    #expect(event == PostilionEvent(.refused, code: code))
    #expect(conversation.next == "rest")
    #expect(!conversation.state.isChoiceDone)
    #expect(conversation.state.choice == .optedOut)
    var back = conversation
    back.state.apply(.opted(isIn: true))
    #expect(back.next.hasPrefix("PUT "))
    conversation.now += 86_400
    #expect(conversation.next == "DELETE")
    conversation.answer(404, ["code": "installation_not_found"])
    #expect(conversation.next == "rest")
    #expect(conversation.state.isChoiceDone)
  }

  @Test func aRemovedInstallationComesBackWhole() {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.opted(isIn: false))
    #expect(conversation.answer(204)?.kind == .removed)
    conversation.state.apply(.token(.apns, Self.bytes(0xA1)))
    #expect(conversation.next == "rest")
    conversation.state.apply(.opted(isIn: true))
    #expect(conversation.next == Self.whole)
  }

  /// A report of a process that has ended may arrive behind the removal, which is therefore sent
  /// once more. That one may get lost, too.
  @Test func aRemovalThatIsSentOnceMoreIsDueUntilItIsAnswered() {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.fields([.appBuild: "413"]))
    #expect(conversation.send() != nil)
    conversation.state.launch()
    conversation.state.apply(.opted(isIn: false))
    #expect(conversation.answer(204)?.kind == .removed)
    #expect(conversation.next == "wait 150.0")
    conversation.now += 150
    #expect(conversation.send()?.purpose == .removal)
    conversation.state.launch()
    #expect(conversation.next == "DELETE")
    conversation.answer(404, ["code": "installation_not_found"])
    conversation.now += 150
    conversation.answer(404, ["code": "installation_not_found"])
    #expect(conversation.next == "rest")
  }

  @Test func anInstallationOfAnotherDeviceIsNotOurs() {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.signedIn("u42", proof: nil))
    conversation.answer(200)
    conversation.state.adopt(InstallationIdentity())
    conversation.state.apply(.launched(Conversation.profile))
    #expect(
      conversation.next == """
        PUT {"app_build":"412","environment":"production","languages":["fr-CA","en-CA"],\
        "platform":"ios","user":{"id":"u42"}}
        """)
  }

  @Test func aNewInstallationTakesTheTokensAlong() {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.fields([.appBuild: "412.1"]))
    conversation.answer(403, ["code": "installation_secret_wrong"])
    conversation.state.renew(InstallationIdentity())
    conversation.state.apply(.fields([.appBuild: "412"]))
    // A server that refuses all is not asked without a pause.
    #expect(conversation.next == "wait 1.0")
    conversation.now += 1
    #expect(conversation.next == Self.whole)
  }

  @Test func anotherServerKnowsNothing() throws {
    var conversation = Conversation(registered: 0xA1)
    let first = PostilionConfiguration(
      server: "https://push.example.com", app: "food", clientKey: "k")
    var second = first
    second.app = "food-2"
    conversation.state.turn(to: first)
    #expect(conversation.next == Self.whole)
    conversation.answer(201)
    conversation.state.turn(to: first)
    #expect(conversation.next == "rest")
    conversation.state.turn(to: second)
    #expect(conversation.next == Self.whole)
  }

  /// It may be the same server at another address.
  @Test func anOptOutOutlivesAChangeOfTheServer() {
    var conversation = Conversation(registered: 0xA1)
    let first = PostilionConfiguration(
      server: "https://push.example.com", app: "food", clientKey: "k")
    let second = PostilionConfiguration(
      server: "https://push.example.org", app: "food", clientKey: "k")
    conversation.state.turn(to: first)
    conversation.answer(201)
    conversation.state.apply(.opted(isIn: false))
    conversation.state.turn(to: second)
    #expect(conversation.next == "DELETE")
    #expect(conversation.state.choice == .optedOut)
    #expect(!conversation.state.isChoiceDone)
    conversation.answer(404, ["code": "installation_not_found"])
    #expect(conversation.next == "rest")
    #expect(conversation.state.choice == .removed)
  }

  @Test func failuresAreBoundedAndSentOnceEach() {
    var conversation = Conversation()
    for code in 0..<40 {
      conversation.state.apply(
        .failed(
          FailureReport(
            kind: .apns, domain: "d", code: code, message: nil, occurredAt: conversation.now)))
    }
    var codes: [String] = []
    while conversation.next != "rest", codes.count < 100 {
      codes.append(conversation.next)
      conversation.answer(201, ["id": "x"])
    }
    #expect(codes.count == 32)
    #expect(codes.first?.contains(#""code":8,"#) == true)
    #expect(codes.last?.contains(#""code":39,"#) == true)
  }

  @Test func aStoredStateIsReadAgain() throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.signedIn("u42", proof: "a.b.c"))
    conversation.answer(503, ["code": "overloaded"], retryAfter: 30)
    let stored = try JSONEncoder().encode(conversation.state)
    #expect(try JSONDecoder().decode(RegistrationState.self, from: stored) == conversation.state)
    // A field of a later release of the library.
    let text = String(decoding: stored, as: UTF8.self)
      .replacingOccurrences(of: #""app_build""#, with: #""shoe_size""#)
    let read = try JSONDecoder().decode(RegistrationState.self, from: Data(text.utf8))
    #expect(read.wanted[.appBuild] == nil)
    #expect(read.wanted[.platform] == "ios")
  }
}
