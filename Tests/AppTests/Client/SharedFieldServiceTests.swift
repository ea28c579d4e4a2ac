import AppTesting
import Foundation
import PostilionClientTesting
import Synchronization
import Testing

@testable import PostilionClient

/// The library and a backend, which change tags and attributes of one device at a real service.
@Suite struct SharedFieldServiceTests {
  /// A phone whose clock a test moves.
  private final class Phone: Sendable {
    let app: TestApp
    private let memory = DeviceMemory()
    private let network = TestNetwork(to: URLSessionTransport())
    private let days = Mutex(0)

    init(_ app: TestApp) { self.app = app }

    var path: String { app.installation(memory.identity?.id.uuidString.lowercased() ?? "") }

    func sleepADay() { days.withLock { $0 += 1 } }

    /// A new process, which says what the app says at each launch, and has told it.
    func launch(tags: [String], plan: String, user: String? = nil) async throws -> Postilion {
      let server = try #require(URL(string: "http://127.0.0.1:\(app.service.port)"))
      var configuration = PostilionConfiguration(
        server: server, app: app.slug, clientKey: app.keys["client"] ?? "")
      configuration.coalescing = 0
      let client = Postilion(
        tools: ClientTools(
          identity: memory, state: memory, transport: network,
          now: { [self] in Date().addingTimeInterval(Double(days.withLock { $0 }) * 86_400) }))
      if let user { client.setUser(user) }
      client.setTags(tags)
      client.setAttributes(["plan": .string(plan), "visits": 3])
      client.register(token: Data(repeating: 0xA1, count: 32), for: .apns)
      client.start(
        configuration,
        profile: DeviceProfile(
          platform: .ios, environment: .production, languages: ["fr-CA"], locale: "fr_CA",
          timeZone: "America/Toronto", appVersion: "3.2.0", appBuild: "412", osVersion: "17.4.1",
          deviceModel: "iPhone15,2"))
      await client.settled()
      return client
    }

    /// What was sent so far, `PUT installations`.
    var requests: [String] { get async { await network.requests } }

    func stored() async throws -> JSON { try await app.admin.get(path).json }
  }

  @Test func neitherSideUndoesTheOther() async throws {
    let app = try await TestApp.make(.socket, settings: ["identity_verification": "off"])
    let phone = Phone(app)
    _ = try await phone.launch(tags: ["beta"], plan: "free")
    #expect(try await phone.stored()["tags"] == ["beta"])
    #expect(
      try await app.sender.post("\(phone.path)/tags", ["add": ["vip"]]).status == 200)
    let changed = try await app.sender.patch(
      phone.path, ["attributes": ["plan": "pro", "since": 2020]])
    #expect(changed.json["attributes"] == ["plan": "pro", "since": 2020, "visits": 3])
    let before = await phone.requests.count

    phone.sleepADay()
    let client = try await phone.launch(tags: ["beta"], plan: "free")
    let reported = try await phone.stored()
    #expect(await phone.requests.dropFirst(before).contains("PUT installations"))
    #expect(reported["tags"] == ["beta", "vip"])
    #expect(reported["attributes"] == ["plan": "pro", "since": 2020, "visits": 3])

    client.setTags(["gamma"])
    client.setAttributes(["plan": "team"])
    await client.settled()
    let own = try await phone.stored()
    #expect(own["tags"] == ["vip", "gamma"])
    #expect(own["attributes"] == ["plan": "team", "since": 2020])

    client.addTags(["delta", "gamma"])
    client.removeTags(["gamma", "vip"])
    await client.settled()
    #expect(try await phone.stored()["tags"] == ["vip", "delta"], "vip is the backend's")
  }

  @Test func anotherPersonHasNothingOfTheLast() async throws {
    let app = try await TestApp.make(.socket, settings: ["identity_verification": "off"])
    let phone = Phone(app)
    let client = try await phone.launch(tags: ["beta"], plan: "free", user: "ada")
    #expect(
      try await app.sender.post("\(phone.path)/tags", ["add": ["vip"]]).status == 200)
    client.setUser("bob")
    await client.settled()
    let next = try await phone.stored()
    #expect(next["user"] == ["id": "bob"])
    #expect(next["tags"] == [])
    #expect(next["attributes"] == .null)
    client.setTags(["own"])
    await client.settled()
    #expect(try await phone.stored()["tags"] == ["own"])
  }
}
