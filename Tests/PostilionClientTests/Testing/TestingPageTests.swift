import Foundation
import PostilionClient
import PostilionClientTesting
import Testing

/// The examples of the page on PostilionClientTesting, as they stand there.
@Suite struct TestingPageTests {
  @Test func aSignInReachesTheServer() async {
    let server = InMemoryServer()
    let memory = DeviceMemory()
    let client = Postilion(identityStore: memory, stateStore: memory, transport: server)
    client.start(server.configuration)
    client.register(token: Data(repeating: 0xA1, count: 32), for: .apns)
    client.setUser("u42", proof: "a.b.c")
    await client.settled()
    let installation = await server.installation(memory.identity?.id)
    #expect(installation?["user"] == ["id": "u42"])
  }

  @Test func anUnchangedLaunchSendsNothing() async {
    let server = InMemoryServer()
    let network = TestNetwork(to: server)
    let memory = DeviceMemory()
    for _ in 1...2 {
      let client = Postilion(identityStore: memory, stateStore: memory, transport: network)
      client.start(server.configuration)
      client.register(token: Data(repeating: 0xA1, count: 32), for: .apns)
      await client.settled()
    }
    #expect(await network.requests == ["PUT installations"])
  }

  @Test func aLostAnswerIsNoSecondInstallation() async {
    let server = InMemoryServer()
    let network = TestNetwork(to: server)
    await network.add(.offline, .lostAnswer)
    let memory = DeviceMemory()
    let client = Postilion(identityStore: memory, stateStore: memory, transport: network)
    client.start(server.configuration)
    client.register(token: Data(repeating: 0xA1, count: 32), for: .apns)
    await client.settled()
    client.wake()
    await client.settled()
    #expect(await server.installations.count == 1)
  }

  @Test func anExpiredProofIsTold() async {
    let server = InMemoryServer(verify: { _, proof in
      proof == "good" ? nil : "identity_token_expired"
    })
    let memory = DeviceMemory()
    let client = Postilion(identityStore: memory, stateStore: memory, transport: server)
    client.start(server.configuration)
    client.setUser("u42", proof: "old")
    let event = await client.events.first { _ in true }
    #expect(event == PostilionEvent(.userUnproven, code: "identity_token_expired"))
  }

  @Test func anOrderIsMarkedReady() async {
    let router = MessageRouter()
    router.register("order_ready") { payload in
      payload.data["order"] == "7" ? .newData : .failed
    }
    let payload = RemotePayload(data: ["messageType": "order_ready", "order": "7"])
    #expect(await router.route(payload, in: .background).result == .newData)
  }

  @Test func thePageShowsTheseTests() throws {
    let page = AppleStubs.root.appendingPathComponent(
      "Sources/AppLibraries/PostilionClientTesting/PostilionClientTesting.docc/"
        + "PostilionClientTesting.md"
    )
    let text = try String(contentsOf: page.resolvingSymlinksInPath(), encoding: .utf8)
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let examples = text.matches(of: /```swift\n((?s).*?)```/).map { String($0.1) }
    #expect(examples.count == 5)
    for example in examples {
      let lines = example.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
      #expect(source.contains(lines), "\(example)")
    }
  }
}
