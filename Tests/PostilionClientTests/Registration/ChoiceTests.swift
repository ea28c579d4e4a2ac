import Foundation
import Testing

@testable import PostilionClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The person's choice: nothing makes the library forget it.
@Suite struct ChoiceTests {
  @Test(
    arguments: [
      (nil, true, nil), (nil, false, nil), ("in", false, .optedIn), ("out", true, .optedOut),
      ("gone", true, .removed), ("ou", true, nil), ("ou", false, .removed), ("", false, .removed),
    ] as [(String?, Bool, Choice?)])
  func aStoredChoiceIsRead(_ stored: String?, _ hasState: Bool, _ choice: Choice?) {
    #expect(Choice(stored: stored.map { Data($0.utf8) }, hasState: hasState) == choice)
  }

  /// The stores of a device before a launch, and the requests of that launch.
  struct Launch: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var state: String?
    var choice: String?
    let requests: [String]
  }

  private static let state = """
    {"installation":"\(TestDevice.identity.id)","hasBegun":true,"isOptedIn":true,"mayExist":true,\
    "confirmed":{},"wanted":{},"systemLanguages":[],"clockLead":0,"failures":[],\
    "retry":{"failures":0}}
    """
  private static let optedOut = state.replacingOccurrences(
    of: #""isOptedIn":true"#, with: #""isOptedIn":false"#)

  static let launches = [
    Launch(testDescription: "a new device", requests: ["PUT"]),
    Launch(testDescription: "an old state", state: state, requests: ["PUT"]),
    Launch(testDescription: "an old state, opted out", state: optedOut, requests: ["DELETE"]),
    Launch(testDescription: "opted out", state: state, choice: "out", requests: ["DELETE"]),
    Launch(testDescription: "opted in", state: optedOut, choice: "in", requests: ["PUT"]),
    Launch(
      testDescription: "a damaged state, opted out", state: "{damaged", choice: "gone",
      requests: []),
    Launch(testDescription: "no state, opted out", choice: "gone", requests: []),
    Launch(
      testDescription: "a damaged state, and a removal is due", state: "{damaged", choice: "out",
      requests: ["DELETE"]),
    Launch(testDescription: "no state, and a removal is due", choice: "out", requests: ["DELETE"]),
    Launch(testDescription: "all is damaged", state: "{", choice: "{", requests: []),
    Launch(
      testDescription: "a damaged choice", state: optedOut, choice: "{", requests: ["DELETE"]),
  ]

  @Test(arguments: launches) func aChoiceOutlivesTheState(_ launch: Launch) async {
    let device = TestDevice()
    device.state.bytes = launch.state.map { Data($0.utf8) }
    device.choice.bytes = launch.choice.map { Data($0.utf8) }
    let client = device.launch(tell: { $0.register(token: Self.token, for: .apns) })
    await client.settled()
    #expect(device.requests == launch.requests)
    let id = TestDevice.identity.id.uuidString.lowercased()
    #expect(device.removals == launch.requests.filter { $0 == "DELETE" }.map { _ in id })
    // Once is enough.
    device.forget()
    let next = device.launch()
    next.register(token: Data(repeating: 1, count: 32), for: .apns)
    await next.settled()
    #expect(device.requests == [])
  }

  /// It is stored before the state, and both before anything is sent.
  @Test func aChoiceIsStoredFirst() async {
    let device = TestDevice()
    let client = device.launch()
    client.register(token: Data(repeating: 1, count: 32), for: .apns)
    await client.settled()
    device.forget()
    client.optOut()
    await client.settled()
    #expect(device.log.prefix(2) == ["choice", "state"])
    #expect(device.log.firstIndex(of: "DELETE") ?? 0 > 1)
    #expect(device.choice.bytes == Data("gone".utf8))
  }

  /// As long as it cannot be stored, nothing of it is done.
  @Test func nothingIsSentOfAChoiceThatIsNotStored() async {
    let device = TestDevice()
    let client = device.launch()
    client.register(token: Data(repeating: 1, count: 32), for: .apns)
    await client.settled()
    device.forget()
    device.choice.isBroken = true
    client.optOut()
    await client.settled()
    #expect(device.log == [])
    device.choice.isBroken = false
    await client.stored()
    client.wake()
    await client.settled()
    #expect(device.requests == ["DELETE"])
  }

  /// A pause in a cancelled task ends at once, so the wait would try without one.
  @Test(.timeLimit(.minutes(1))) func whoIsCancelledDoesNotWaitForTheStore() async {
    let device = TestDevice()
    device.choice.isBroken = true
    let client = device.launch()
    client.optOut()
    let caller = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await client.stored()
    }
    await caller.value
    await client.stop()
  }

  // MARK: Waiting for consent

  private static let token = Data(repeating: 1, count: 32)

  /// The app tells all that it knows, and nothing goes out before the person has agreed.
  @Test func nothingIsSentBeforeTheFirstOptIn() async {
    let device = TestDevice()
    for _ in 0..<3 {
      let client = device.launch { $0.waitsForOptIn = true }
      client.register(token: Self.token, for: .apns)
      client.setUser("u42")
      client.registrationFailed(NSError(domain: "NSCocoaErrorDomain", code: 3000))
      await client.settled()
      #expect(await !client.isOptedIn)
      #expect(await !client.status.hasChosen)
    }
    #expect(device.requests == [])
    let client = device.launch { $0.waitsForOptIn = true }
    client.register(token: Self.token, for: .apns)
    #expect(await client.optIn(within: 600) == .done)
    #expect(device.requests == ["PUT", "POST", "POST", "POST"])
    #expect(device.sentBodies.first?.contains(#""user":{"id":"u42"}"#) == true)
    // Later launches know it.
    let next = device.launch { $0.waitsForOptIn = true }
    next.setTags(["beta"])
    await next.settled()
    #expect(await next.isOptedIn)
    #expect(device.requests.last == "PATCH")
  }

  /// An installation that an earlier version of the app has made stays as it is.
  @Test func nothingIsSentOfAnInstallationBeforeTheFirstOptIn() async {
    let device = TestDevice()
    let old = device.launch()
    old.register(token: Self.token, for: .apns)
    await old.settled()
    device.forget()
    let client = device.launch { $0.waitsForOptIn = true }
    client.register(token: Data(repeating: 2, count: 32), for: .apns)
    await client.settled()
    #expect(device.requests == [])
    #expect(await client.optOut(within: 600) == .done)
    #expect(device.requests == ["DELETE"])
  }

  // MARK: Waiting for the server

  @Test func aChoiceIsDoneWhenTheServerSaysSo() async {
    let device = TestDevice()
    let client = device.launch()
    client.register(token: Self.token, for: .apns)
    #expect(await client.optOut(within: 600) == .done)
    #expect(await !client.isOptedIn)
    #expect(await client.optIn(within: 600) == .done)
    #expect(await client.isOptedIn)
  }

  @Test func withoutANetworkAChoiceIsStored() async {
    let device = TestDevice()
    let client = device.launch()
    client.register(token: Self.token, for: .apns)
    await client.settled()
    device.networkError = .notConnectedToInternet
    #expect(await client.optOut(within: 600) == .stored)
    #expect(device.choice.bytes == Data("out".utf8))
    device.networkError = nil
    #expect(await client.optOut(within: 600) == .done)
  }

  /// A network that is never there, and a deadline that has come.
  @Test func aDeadlineEndsTheWait() async {
    let device = TestDevice()
    let client = device.launch()
    client.register(token: Self.token, for: .apns)
    await client.settled()
    device.isSilent = true
    #expect(await client.optOut(within: 0) == .stored)
    device.isSilent = false
    await client.settled()
    #expect(await client.optOut(within: 600) == .done)
  }

  @Test func beforeTheStartAChoiceIsTold() async {
    let device = TestDevice()
    let client = Postilion(tools: device.tools)
    #expect(await client.optOut(within: 600) == .told)
    #expect(await !client.isOptedIn)
    client.start(device.configuration, profile: TestDevice.profile)
    await client.settled()
    #expect(device.choice.bytes == Data("gone".utf8))
    #expect(device.requests == [])
  }

  @Test func aChoiceThatCannotBeStoredIsTold() async {
    let device = TestDevice()
    device.choice.isBroken = true
    let client = device.launch()
    #expect(await client.optOut(within: 600) == .told)
    await client.stop()
  }
}
