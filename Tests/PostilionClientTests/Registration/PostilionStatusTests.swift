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
    client.register(token: Self.token, for: .apns)
    client.register(token: Data(repeating: 0xB2, count: 32), for: .voip)
    client.setUser("u42")
    await client.settled()
    let status = await client.status
    #expect(status.isOptedIn)
    #expect(!status.hasChosen)
    #expect(status.deviceToken == String(repeating: "a1", count: 32))
    #expect(status.voipToken == String(repeating: "b2", count: 32))
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
    client.register(token: Self.token, for: .apns)
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

  @Test func aReaderIsToldEachStatusAsItComes() async {
    let device = TestDevice()
    let client = Postilion(tools: device.tools)
    var updates = client.statusUpdates.makeAsyncIterator()
    #expect(await updates.next() == PostilionStatus())
    client.register(token: Self.token, for: .apns)
    client.start(device.configuration, profile: TestDevice.profile)
    var status = await updates.next()
    while let now = status, !(now.isUpToDate && now.deviceToken != nil) {
      status = await updates.next()
    }
    #expect(status == (await client.status))
    // One that comes later begins with how things are.
    var late = client.statusUpdates.makeAsyncIterator()
    #expect(await late.next() == status)
    client.optOut()
    while let now = status, now.isOptedIn { status = await updates.next() }
    #expect(status?.hasChosen == true)
  }

  @Test @MainActor func aViewIsToldOfTheNewestStatus() async {
    let device = TestDevice()
    let client = device.launch()
    let observed = ObservedStatus(client)
    client.register(token: Self.token, for: .apns)
    await client.settled()
    let status = await client.status
    while observed.status != status { await Task.yield() }
  }

  @Test func aStoreIsAskedAfterLongerAndLongerPauses() async {
    let device = TestDevice()
    device.state.isBroken = true
    let pauses = Guarded<[TimeInterval]>([])
    var tools = device.tools
    tools.sleep = { seconds in
      if seconds > 0 { pauses.withLock { $0.append(seconds) } }
      await Task.yield()
    }
    let client = device.launch(tools)
    while pauses.withLock({ $0.count }) < 10 { await Task.yield() }
    #expect(pauses.withLock { $0.prefix(10) } == [5, 10, 20, 40, 80, 160, 320, 640, 900, 900])
    await client.stop()
  }

  /// The app has let go of it, and the network does not come back.
  @Test func aRegistrationThatWaitsCanBeFreed() async {
    let device = TestDevice()
    device.networkError = .notConnectedToInternet
    let isOver = Guarded(false)
    var tools = device.tools
    tools.sleep = { seconds in
      guard seconds > 0 else { return }
      try? await Task.sleep(nanoseconds: 3_600_000_000_000)
      isOver.withLock { $0 = true }
    }
    weak var freed: Postilion?
    let updates: AsyncStream<PostilionStatus>
    do {
      let client = device.launch(tools, tell: { $0.register(token: Self.token, for: .apns) })
      freed = client
      updates = client.statusUpdates
      await client.settled()
      #expect(await client.status.lastProblem != nil)
    }
    while freed != nil { await Task.yield() }
    while !isOver.withLock({ $0 }) { await Task.yield() }
    // Nobody waits for what will not come.
    for await _ in updates {}
  }

  @Test func whatIsToldInAPauseIsSentThoughTheAppHasLetGo() async {
    let device = TestDevice()
    device.networkError = .notConnectedToInternet
    var tools = device.tools
    tools.sleep = { seconds in
      if seconds > 0 { try? await Task.sleep(nanoseconds: 3_600_000_000_000) }
    }
    do {
      let client = device.launch(tools, tell: { $0.register(token: Self.token, for: .apns) })
      await client.settled()
      device.networkError = nil
      client.setUser("u42")
      await client.stored()
    }
    while !device.sentBodies.contains(where: { $0.contains("u42") }) { await Task.yield() }
  }

  @Test func aDescriptionHasNoSecrets() async throws {
    let device = TestDevice()
    let client = device.launch()
    client.register(token: Self.token, for: .apns)
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
    let streams = Streams<PostilionEvent>(kept: 100, memory: .unread)
    var first = streams.stream().makeAsyncIterator()
    streams.yield(PostilionEvent(.registered))
    var second = streams.stream().makeAsyncIterator()
    streams.yield(PostilionEvent(.removed))
    #expect(await first.next()?.kind == .registered)
    #expect(await first.next()?.kind == .removed)
    #expect(await second.next()?.kind == .removed)
  }

  @Test(arguments: [(3, 3), (140, 100)]) func whatNobodyReadsIsKept(_ count: Int, _ kept: Int) async
  {
    let streams = Streams<PostilionEvent>(kept: 100, memory: .unread)
    for number in 0..<count { streams.yield(PostilionEvent(.waiting, code: "\(number)")) }
    var events: [PostilionEvent] = []
    for await event in streams.stream() {
      events.append(event)
      if events.count == kept { break }
    }
    #expect(events == (count - kept..<count).map { PostilionEvent(.waiting, code: "\($0)") })
    // That reader is gone.
    streams.yield(PostilionEvent(.renewed))
    for await event in streams.stream() {
      #expect(event.kind == .renewed)
      break
    }
  }

  @Test(
    arguments: [
      (.init(.registered), .info), (.init(.removed), .info),
      (.init(.waiting, code: "overloaded"), .info), (.init(.renewed), .warning),
      (.init(.userUnproven, code: "identity_token_expired"), .warning),
      (.init(.refused, code: "field_invalid"), .error),
      // One that a later release may bring.
      (.init(.init(rawValue: "hologram")), .info),
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
    client.register(token: token, for: .apns)
    client.registrationFailed(NSError(domain: domain, code: 3000))
    client.registrationFailed(NSError(domain: domain, code: 1), kind: .authorization)
    let mine = [Postilion.text(of: token), domain]
    #expect(posts.withLock { $0.filter { mine.contains($0) } } == mine)
    #expect(Postilion.text(of: Data([0, 0x0A, 0xFF])) == "000aff")
  }
}
