import Foundation
import Testing

@testable import PostilionClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What can be read of a registration.
@Suite struct PostilionStatusTests {
  private static let token = Data(repeating: 0xA1, count: 32)

  @Test func aStatusSaysWhatTheServerHas() async {
    let device = TestDevice()
    let early = Postilion(tools: device.tools)
    #expect(await early.status == PostilionStatus())
    let client = device.launch()
    client.register(deviceToken: Self.token)
    client.pushKit(token: Data(repeating: 0xB2, count: 32))
    client.setUser("u42")
    await client.settled()
    let status = await client.status
    #expect(status.isOptedIn)
    #expect(!status.hasChosen)
    #expect(status.deviceToken == String(repeating: "a1", count: 32))
    #expect(status.pushKitToken == String(repeating: "b2", count: 32))
    #expect(status.hasUser)
    #expect(status.lastReport != nil)
    #expect(status.lastProblem == nil)
    #expect(status.isUpToDate)
    #expect(status.installation != nil)
    // A process that begins knows what the server has, though the system has not told a token yet.
    let next = await device.launch().status
    #expect(next.deviceToken == status.deviceToken)
    #expect(next.lastReport == status.lastReport)
    #expect(next.installation == status.installation)
  }

  @Test func aStatusSaysWhatWentWrong() async {
    let device = TestDevice()
    device.networkError = .notConnectedToInternet
    let client = device.launch()
    client.register(deviceToken: Self.token)
    await client.settled()
    let status = await client.status
    #expect(status.lastProblem?.code == "NSURLErrorDomain -1009")
    #expect(status.deviceToken == nil)
    #expect(!status.isUpToDate)
    client.registrationFailed(NSError(domain: "NSCocoaErrorDomain", code: 3000))
    await client.stored()
    await client.stop()
    #expect(await client.status.lastProblem?.code == "NSCocoaErrorDomain 3000")
  }

  @Test func aStoreThatCannotBeUsedIsAProblem() async {
    let device = TestDevice()
    device.state.isBroken = true
    let client = device.launch()
    await client.settled()
    #expect(await client.status.lastProblem?.code.contains("Broken") == true)
    #expect(await !client.status.isUpToDate)
    await client.stop()
  }

  @Test func aDescriptionHasNoSecrets() async throws {
    let device = TestDevice()
    let client = device.launch()
    client.register(deviceToken: Self.token)
    client.setUser("ada@example.com", proof: "proof.of.ada")
    client.setTags(["vip"])
    client.registrationFailed(
      NSError(
        domain: "NSCocoaErrorDomain", code: 3000,
        userInfo: [NSLocalizedDescriptionKey: "a text with ada"]))
    await client.settled()
    let status = await client.status
    for text in [status.debugDescription, "\(status)", String(reflecting: status)] {
      #expect(text.contains("device token: on the server"))
      #expect(text.contains("last problem: NSCocoaErrorDomain 3000, "))
      let id = try #require(status.installation)
      #expect(text.contains("installation: \(id.uuidString.lowercased())"))
      for secret in ["a1a1", "ada", "proof", "vip", TestDevice.identity.secret, "pst_client"] {
        #expect(!text.contains(secret), "\(secret)")
      }
    }
  }

  // MARK: Events

  @Test func allReadersGetAllEvents() async {
    let streams = Streams<PostilionEvent>(kept: 100, keepsUnread: true)
    var first = streams.stream().makeAsyncIterator()
    streams.yield(.registered)
    var second = streams.stream().makeAsyncIterator()
    streams.yield(.removed)
    #expect(await first.next() == .registered)
    #expect(await first.next() == .removed)
    #expect(await second.next() == .removed)
  }

  @Test(arguments: [(3, 3), (140, 100)]) func whatNobodyReadsIsKept(_ count: Int, _ kept: Int) async
  {
    let streams = Streams<PostilionEvent>(kept: 100, keepsUnread: true)
    for number in 0..<count { streams.yield(.waiting("\(number)")) }
    var events: [PostilionEvent] = []
    for await event in streams.stream() {
      events.append(event)
      if events.count == kept { break }
    }
    #expect(events == (count - kept..<count).map { .waiting("\($0)") })
    // That reader is gone.
    streams.yield(.renewed)
    for await event in streams.stream() {
      #expect(event == .renewed)
      break
    }
  }

  @Test(
    arguments: [
      (.registered, .info), (.removed, .info), (.waiting("overloaded"), .info),
      (.renewed, .warning), (.userUnproven("identity_token_expired"), .warning),
      (.refused("field_invalid"), .error),
    ] as [(PostilionEvent, PostilionEvent.Level)])
  func eventsHaveLevels(_ event: PostilionEvent, _ level: PostilionEvent.Level) {
    #expect(event.level == level)
  }

  // MARK: Posts

  @Test func tokensAndFailuresArePosted() {
    let posts = Guarded<[String]>([])
    let token = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
    let domain = UUID().uuidString
    let observers = [
      NotificationCenter.default.addObserver(
        forName: .postilionDidRegister, object: nil, queue: nil
      ) { note in
        let text = note.userInfo?["token"] as? String ?? "none"
        posts.withLock { $0.append(text) }
      },
      NotificationCenter.default.addObserver(
        forName: .postilionDidFailToRegister, object: nil, queue: nil
      ) { note in
        let error = (note.userInfo?["error"] as? any Error).map { ($0 as NSError).domain }
        posts.withLock { $0.append(error ?? "none") }
      },
    ]
    defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
    let client = Postilion(tools: TestDevice().tools)
    client.register(deviceToken: token)
    client.registrationFailed(NSError(domain: domain, code: 3000))
    client.registrationFailed(NSError(domain: domain, code: 1), kind: .authorization)
    let mine = [Postilion.text(of: token), domain]
    #expect(posts.withLock { $0.filter { mine.contains($0) } } == mine)
    #expect(Postilion.text(of: Data([0, 0x0A, 0xFF])) == "000aff")
  }
}
