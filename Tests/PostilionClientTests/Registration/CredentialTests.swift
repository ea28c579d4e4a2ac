import Foundation
import Testing

@testable import PostilionClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tokens of the kinds beside those for notifications and calls, from the app to the report.
@Suite struct CredentialTests {
  private static func digits(_ byte: UInt8) -> String { token(byte).hexadecimal }
  private static func token(_ byte: UInt8) -> Data { Data(repeating: byte, count: 16) }
  private static func told(
    _ credential: PushCredential, _ byte: UInt8
  ) throws -> RegistrationChange {
    var members = credential.details
    members["token"] = .string(digits(byte))
    return .credential(try #require(credential.place), .object(members))
  }
  private static func gone(_ credential: PushCredential) throws -> RegistrationChange {
    .credential(try #require(credential.place), .null)
  }
  private static let delivery = PushCredential.liveActivity(id: "A7.C1", type: "Delivery")

  /// A kind, and how a report brings its token.
  static let kinds: [(PushCredential, String)] = [
    (
      .liveActivityStart(type: "Delivery"),
      #"{"live_activity_start":{"Delivery":{"token":"TOKEN"}}}"#
    ),
    (delivery, #"{"live_activities":{"A7.C1":{"token":"TOKEN","type":"Delivery"}}}"#),
    (
      .widgets([["kind": "Orders"]]),
      #"{"widgets":{"token":"TOKEN","widgets":[{"kind":"Orders"}]}}"#
    ),
    (.nowPlayingStart, #"{"nowplaying_start":{"token":"TOKEN"}}"#),
    (.nowPlaying(session: "S1"), #"{"nowplaying":{"S1":{"token":"TOKEN"}}}"#),
    (.location, #"{"location":{"token":"TOKEN"}}"#),
    (.pushToTalk(isJoined: false), #"{"push_to_talk":{"joined":false,"token":"TOKEN"}}"#),
    (.fileProvider, #"{"file_provider":{"token":"TOKEN"}}"#),
    (.complication, #"{"complication":{"token":"TOKEN"}}"#),
  ]

  @Test(arguments: kinds)
  func aTokenIsReportedAndTakenBack(_ credential: PushCredential, _ report: String) throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(try Self.told(credential, 0xB2))
    let brought = report.replacingOccurrences(of: "TOKEN", with: Self.digits(0xB2))
    #expect(conversation.next == #"PATCH {"credentials":\#(brought)}"#)
    conversation.answer(200)
    #expect(conversation.next == "rest")
    conversation.state.apply(try Self.told(credential, 0xB2))
    #expect(conversation.next == "rest")
    conversation.state.apply(try Self.gone(credential))
    // {"nowplaying":{"S1":{"token":…}}} becomes {"nowplaying":{"S1":null}}.
    let taken = report.replacingOccurrences(
      of: #"\{[^{]*"token":.*?\}(?=\}*$)"#, with: "null", options: .regularExpression)
    #expect(conversation.next == #"PATCH {"credentials":\#(taken)}"#)
    conversation.answer(200)
    #expect(conversation.next == "rest")
  }

  /// A new process, with what the last one has stored.
  private func relaunched(_ conversation: Conversation) throws -> Conversation {
    var next = conversation
    next.state = try JSONDecoder().decode(
      RegistrationState.self, from: JSONEncoder().encode(conversation.state))
    #expect(next.state == conversation.state)
    next.state.launch()
    next.state.apply(.launched(Conversation.profile))
    return next
  }

  @Test(arguments: kinds)
  func aTokenThatWasNotConfirmedSurvivesTheProcess(
    _ credential: PushCredential, _ report: String
  ) throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(try Self.told(credential, 0xB2))
    let lost = conversation.send()
    #expect(lost != nil)
    conversation = try relaunched(conversation)
    let brought = report.replacingOccurrences(of: "TOKEN", with: Self.digits(0xB2))
    #expect(conversation.next == #"PATCH {"credentials":\#(brought)}"#)
    conversation.answer(200)
    #expect(try relaunched(conversation).next.hasPrefix("wait"))
  }

  /// A token that the server has and that the system has not told again may be dead meanwhile: a
  /// report would bring it back into use.
  @Test(arguments: kinds)
  func aWholeReportLeavesOutATokenOfAnEarlierProcess(
    _ credential: PushCredential, _ report: String
  ) throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(try Self.told(credential, 0xB2))
    conversation.answer(200)
    conversation = try relaunched(conversation)
    conversation.now += 86_400
    let sent = conversation.send()
    let daily = try #require(sent)
    #expect(daily.method == .put)
    #expect(daily.body?["credentials"] == nil)
    // There was no network: the next try is the same.
    conversation.fail(daily, URLError(.notConnectedToInternet))
    conversation.state.apply(.woken)
    #expect(!conversation.next.contains("credentials"))
    conversation.answer(200)
    #expect(conversation.next == "rest")
    // What the system tells counts.
    conversation.state.apply(try Self.told(credential, 0xB2))
    #expect(conversation.next == "rest")
    conversation.now += 86_400
    let brought = report.replacingOccurrences(of: "TOKEN", with: Self.digits(0xB2))
    #expect(conversation.next.hasPrefix("PUT ") && conversation.next.contains(brought))
    conversation.answer(200)
    conversation.state.apply(try Self.told(credential, 0xB3))
    let other = report.replacingOccurrences(of: "TOKEN", with: Self.digits(0xB3))
    #expect(conversation.next == #"PATCH {"credentials":\#(other)}"#)
  }

  /// A server that has no such installation gets all tokens, however it says so.
  @Test(arguments: kinds)
  func aServerThatLostTheInstallationGetsTheTokensAgain(
    _ credential: PushCredential, _ report: String
  ) throws {
    let brought = report.replacingOccurrences(of: "TOKEN", with: Self.digits(0xB2))
    var known = Conversation(registered: 0xA1)
    known.state.apply(try Self.told(credential, 0xB2))
    known.answer(200)
    known = try relaunched(known)

    var conversation = known
    conversation.now += 86_400
    #expect(!conversation.next.contains("credentials"))
    // The whole report made it anew.
    conversation.answer(201)
    #expect(conversation.next == #"PATCH {"credentials":\#(brought)}"#)
    conversation.answer(200)
    #expect(conversation.next == "rest")

    conversation = known
    conversation.state.apply(.fields([.appBuild: "413"]))
    conversation.answer(404, ["code": "installation_not_found"])
    #expect(conversation.next.hasPrefix("PUT ") && conversation.next.contains(brought))

    conversation = known
    conversation.state.renew(InstallationIdentity())
    #expect(conversation.next.hasPrefix("PUT ") && conversation.next.contains(brought))

    // A request without an answer may have made it anew: the next answer has another time.
    conversation = known
    conversation.state.apply(.fields([.appBuild: "413"]))
    conversation.answer(200, ["created_at": "2026-05-02T19:32:41.250Z"])
    conversation.now += 86_400
    let sent = conversation.send()
    conversation.fail(try #require(sent), URLError(.timedOut))
    conversation.now += 150
    #expect(conversation.next.hasPrefix("PUT ") && !conversation.next.contains("credentials"))
    conversation.answer(200, ["created_at": "2026-05-04T19:32:41.250Z"])
    #expect(conversation.next == #"PATCH {"credentials":\#(brought)}"#)
    conversation.answer(200, ["created_at": "2026-05-04T19:32:41.250Z"])
    #expect(conversation.next == "rest")
  }

  /// All is said once more behind a request without an answer, but no token that may be dead.
  @Test(arguments: kinds)
  func aReportBehindALostOneLeavesOutATokenOfAnEarlierProcess(
    _ credential: PushCredential, _ report: String
  ) throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(try Self.told(credential, 0xB2))
    conversation.answer(200)
    conversation = try relaunched(conversation)
    conversation.state.apply(.fields([.appBuild: "413"]))
    let sent = conversation.send()
    conversation.fail(try #require(sent), URLError(.timedOut))
    conversation.now += 1
    conversation.answer(200)
    conversation.now += 149
    #expect(conversation.next.hasPrefix("PUT ") && !conversation.next.contains("credentials"))
    conversation.answer(200)
    #expect(conversation.next == "rest")
  }

  @Test func aTokenThatNoServerConfirmedIsInTheWholeReport() throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(try Self.told(.location, 0xB2))
    conversation.answer(200)
    conversation.state.apply(try Self.told(.widgets(), 0xB3))
    conversation = try relaunched(conversation)
    conversation.now += 86_400
    let sent = conversation.send()
    #expect(
      sent?.body?["credentials"] == [
        "widgets": ["token": .string(Self.digits(0xB3)), "widgets": []]
      ])
  }

  /// The server takes another environment only with all tokens.
  @Test func aWholeReportOfAnotherEnvironmentHasAllTokens() throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(try Self.told(.nowPlayingStart, 0xB4))
    conversation.answer(200)
    conversation = try relaunched(conversation)
    conversation.now += 86_400
    var profile = Conversation.profile
    profile[.environment] = "sandbox"
    conversation.state.apply(.launched(profile))
    let sent = conversation.send()
    #expect(sent?.method == .put)
    #expect(
      sent?.body?["credentials"]?["nowplaying_start"]
        == ["token": .string(Self.digits(0xB4))])
  }

  @Test func anEndedActivityIsRemovedUntilThatIsAnswered() throws {
    var conversation = Conversation(registered: 0xA1)
    let place = ReportPlace(.liveActivities, "A7.C1")
    conversation.state.apply(try Self.told(Self.delivery, 0xB2))
    conversation.answer(200)
    conversation.state.apply(try Self.gone(Self.delivery))
    let removal = #"PATCH {"credentials":{"live_activities":{"A7.C1":null}}}"#
    #expect(conversation.next == removal)
    let lost = conversation.send()
    #expect(lost != nil)
    conversation = try relaunched(conversation)
    #expect(conversation.next == removal)
    conversation.answer(200)
    // The request without an answer may arrive late: it is said once more.
    #expect(conversation.state.wanted.values[place] == .null)
    conversation.now += 150
    #expect(conversation.next.hasPrefix("PUT "))
    #expect(conversation.next.contains(#""live_activities":{"A7.C1":null}"#))
    conversation.answer(200)
    // Then it is forgotten: there are ever new activities.
    #expect(conversation.state.wanted.values[place] == nil)
    #expect(conversation.state.confirmed?.values[place] == nil)
    conversation.now += 86_400
    #expect(conversation.next.hasPrefix("PUT "))
    #expect(!conversation.next.contains("A7.C1"))
  }

  @Test func anActivityThatEndedBeforeAnythingWasSentIsForgotten() throws {
    var conversation = Conversation()
    conversation.state.apply(try Self.told(Self.delivery, 0xB2))
    conversation.state.apply(try Self.gone(Self.delivery))
    #expect(conversation.state.wanted.credentials == ReportFields())
    #expect(conversation.next.hasPrefix("PUT "))
    #expect(!conversation.next.contains("credentials"))
  }

  /// What runs at a launch is told by the system; what does not has ended meanwhile.
  @Test func activitiesThatDoNotRunAnyMoreAreRemoved() throws {
    var conversation = Conversation(registered: 0xA1)
    for (id, type) in [("1", "Delivery"), ("2", "Delivery"), ("3", "Ride")] {
      conversation.state.apply(try Self.told(.liveActivity(id: id, type: type), 0xB2))
    }
    conversation.answer(200)
    conversation = try relaunched(conversation)
    conversation.state.apply(.activities(["2"], type: "Delivery"))
    #expect(conversation.next == #"PATCH {"credentials":{"live_activities":{"1":null}}}"#)
  }

  /// A build for another environment has other tokens; those for now playing are production's in
  /// every build.
  @Test func anotherEnvironmentTakesTheTokensBack() throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(try Self.told(Self.delivery, 0xB2))
    conversation.state.apply(try Self.told(.location, 0xB3))
    conversation.state.apply(try Self.told(.nowPlayingStart, 0xB4))
    conversation.answer(200)
    conversation.state.launch()
    var profile = Conversation.profile
    profile[.environment] = "sandbox"
    conversation.state.apply(.launched(profile))
    #expect(
      conversation.next == """
        PATCH {"credentials":{"apns":null,"live_activities":{"A7.C1":null},"location":null,\
        "nowplaying_start":{"token":"\(Self.digits(0xB4))"},"voip":null},"environment":"sandbox"}
        """)
  }

  /// The service takes 32 names of a kind in a report.
  @Test func manyNamesAreReportedInTurn() throws {
    var conversation = Conversation(registered: 0xA1)
    for number in 10..<50 {
      conversation.state.apply(
        try Self.told(.liveActivity(id: "\(number)", type: "Delivery"), 0xB2))
    }
    conversation.state.apply(try Self.told(.location, 0xB3))
    var counts: [Int] = []
    var sent = Set<String>()
    while let request = conversation.send() {
      let names = request.body?["credentials"]?["live_activities"]?.object ?? [:]
      counts.append(names.count)
      sent.formUnion(names.keys)
      conversation.answer(request, 200)
    }
    #expect(counts == [32, 8])
    #expect(sent == Set((10..<50).map(String.init)))
  }

  @Test func aBundleIDIsReportedAndTakenBack() {
    var conversation = Conversation(registered: 0xA1)
    var profile = Conversation.profile
    profile[.bundleID] = "com.example.food.watch"
    conversation.state.apply(.launched(profile))
    #expect(conversation.next == #"PATCH {"bundle_id":"com.example.food.watch"}"#)
    conversation.answer(200)
    conversation.state.apply(.launched(Conversation.profile))
    #expect(conversation.next == #"PATCH {"bundle_id":null}"#)
  }

  // MARK: What the app calls

  @Test func whatTheAppTellsIsReported() async throws {
    let device = TestDevice()
    let client = device.launch { $0.bundleID = "com.example.food.watch" }
    client.register(token: Self.token(0xB2), for: Self.delivery)
    client.setControls(["porch": Self.token(0xB3)], handler: "LightHandler")
    client.setLiveActivities(areAllowed: true, frequentPushes: false)
    await client.settled()
    client.setRunningLiveActivities([], type: "Delivery")
    client.setControls([:], handler: "LightHandler")
    client.remove(.location)
    await client.settled()
    let bodies = try device.sentBodies.map { try #require(PayloadValue(json: Data($0.utf8))) }
    #expect(bodies.count == 2)
    #expect(bodies[0]["bundle_id"] == "com.example.food.watch")
    #expect(bodies[0]["live_activities_allowed"] == true)
    #expect(bodies[0]["frequent_pushes"] == false)
    #expect(
      bodies[0]["credentials"] == [
        "live_activities": [
          "A7.C1": ["token": .string(Self.digits(0xB2)), "type": "Delivery"]
        ],
        "controls": ["LightHandler": ["porch": ["token": .string(Self.digits(0xB3))]]],
      ])
    #expect(
      bodies[1]["credentials"] == [
        "live_activities": ["A7.C1": .null], "controls": ["LightHandler": .null],
        "location": .null,
      ])
  }

  /// What no service takes is not sent: it would be refused with the whole report.
  @Test func whatNoServiceTakesIsNotSent() async throws {
    let device = TestDevice()
    let client = device.launch()
    let events = client.events
    let long = String(repeating: "a", count: 257)
    client.register(token: Self.token(1), for: .liveActivityStart(type: ""))
    client.register(token: Self.token(1), for: .liveActivity(id: "A", type: long))
    client.register(token: Data([1]), for: .location)
    client.remove(.nowPlaying(session: long))
    client.setControls(["": Self.token(1)], handler: "LightHandler")
    client.setControls(["porch": Data([1])], handler: "LightHandler")
    let many = Dictionary(uniqueKeysWithValues: (0...32).map { ("\($0)", Self.token(1)) })
    client.setControls(many, handler: "LightHandler")
    let much = PayloadValue.string(String(repeating: "a", count: 4096))
    client.register(token: Self.token(1), for: .widgets([much]))
    await client.settled()
    #expect(device.sentBodies.count == 1)
    let body = try #require(device.sentBodies.first.flatMap { PayloadValue(json: Data($0.utf8)) })
    #expect(body["credentials"] == ["widgets": ["token": .string(Self.digits(1))]])
    var codes: [String] = []
    for await event in events {
      if event.kind == .registered { break }
      #expect(event.kind == .refused)
      codes.append(event.code ?? "")
    }
    #expect(
      codes == [
        "credential_name", "credential_name", "token_length", "credential_name", "credential_name",
        "token_length", "too_many_controls", "widgets_length",
      ])
  }
}
