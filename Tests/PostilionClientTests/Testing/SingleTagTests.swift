import Foundation
import PostilionClientTesting
import Testing

@testable import PostilionClient

/// Single tags, as an app adds and removes them, beside those of a backend.
@Suite struct SingleTagTests {
  /// What happens to a device, in turn.
  enum Step {
    case add([String])
    case remove([String])
    case set([String])
    /// A person signs in.
    case user(String)
    case opted(isIn: Bool)
    /// What was told is sent, as far as the network lets it.
    case send
    /// What becomes of the next request.
    case fault(TestNetwork.Fault)
    /// The backend changes tags.
    case backend(PayloadValue)
    /// The process ends once all is stored, and another one begins.
    case launch
  }

  static let cases: [(steps: [Step], tags: [String])] = [
    ([.add(["a", "b"])], ["a", "b"]),
    ([.add(["a"]), .add(["b", "a"])], ["a", "b"]),
    ([.set(["a", "b"]), .remove(["b", "c"])], ["a"]),
    ([.set(["a", "b"]), .send, .remove(["b", "c"])], ["a"]),
    // The last word counts.
    ([.add(["a"]), .remove(["a"])], []),
    ([.add(["a"]), .send, .remove(["a"]), .add(["a"])], ["a"]),
    ([.add(["a", "b"]), .send, .set(["c"]), .add(["a"])], ["a", "c"]),
    // Each side has its own.
    ([.send, .backend(["add": ["vip"]]), .add(["a"]), .remove(["vip"])], ["a", "vip"]),
    ([.add(["a", "b"]), .send, .backend(["remove": ["b"]]), .add(["b", "c"])], ["a", "c"]),
    ([.add(["a"]), .send, .backend(["add": ["vip"]]), .remove(["a"])], ["vip"]),
    // Without a network, and over the end of the process.
    ([.fault(.offline), .add(["a", "b"]), .send, .remove(["a"]), .launch], ["b"]),
    ([.add(["a"]), .send, .fault(.offline), .remove(["a"]), .launch, .add(["b"])], ["b"]),
    ([.fault(.lostAnswer), .add(["a"]), .send, .launch, .remove(["a"])], []),
    ([.add(["a"]), .send, .fault(.lostAnswer), .remove(["a"]), .send, .add(["b"])], ["b"]),
    (
      [.add(["a"]), .send, .opted(isIn: false), .send, .add(["b"]), .opted(isIn: true)],
      ["a", "b"]
    ),
    // They are the person's.
    ([.user("ada"), .add(["a"]), .send, .user("ada"), .add(["b"])], ["a", "b"]),
    ([.user("ada"), .add(["a"]), .send, .user("bob"), .add(["b"])], ["b"]),
    ([.user("ada"), .add(["a"]), .send, .add(["b"]), .user("bob"), .remove(["a"])], []),
    ([.user("ada"), .add(["a"]), .send, .backend(["add": ["vip"]]), .user("bob"), .launch], []),
  ]

  @Test(arguments: cases) func theyAreOnTheServer(_ steps: [Step], _ tags: [String]) async throws {
    let device = Device()
    var client = device.launch()
    for step in steps {
      switch step {
      case .add(let tags): client.addTags(tags)
      case .remove(let tags): client.removeTags(tags)
      case .set(let tags): client.setTags(tags)
      case .user(let user): client.setUser(user)
      case .opted(let isIn): isIn ? client.optIn() : client.optOut()
      case .send: await client.settled()
      case .fault(let fault): await device.network.add(fault)
      case .backend(let change): #expect(await device.change(change) == nil)
      case .launch:
        await client.stored()
        await client.stop()
        client = device.launch()
      }
    }
    await client.settled()
    client.wake()
    await client.settled()
    #expect(await device.tags == tags)
  }

  @Test func whatIsSoAlreadyIsNotSent() async {
    let device = Device()
    let client = device.launch()
    client.addTags(["a", "b"])
    await client.settled()
    client.addTags(["b"])
    client.removeTags(["c"])
    await client.settled()
    #expect(await device.network.requests == ["PUT installations", "PATCH installations"])
  }

  /// A device, its network, and the server.
  private struct Device {
    let server = InMemoryServer()
    let network: TestNetwork
    private let memory = DeviceMemory()

    init() { network = TestNetwork(to: server) }

    /// A process, which the system has told a token.
    func launch() -> Postilion {
      let client = Postilion(identityStore: memory, stateStore: memory, transport: network)
      client.start(server.configuration)
      client.register(token: Data(repeating: 0xA1, count: 32), for: .apns)
      return client
    }

    /// The backend changes tags; the code of the problem if it is refused.
    func change(_ tags: PayloadValue) async -> String? {
      guard let id = memory.identity?.id else { return "no installation" }
      return await server.addInstallation(id, ["tag_changes": tags])
    }

    var tags: [String]? {
      get async {
        await server.installation(memory.identity?.id)?["tags"]?.array?.compactMap(\.string)
          .sorted()
      }
    }
  }
}
