import Foundation
import Testing

@testable import PostilionClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The process is kept running as long as something has to be sent.
@Suite struct BackgroundTimeTests {
  /// The system: it counts the activities that run, and may end them.
  private final class System: Sendable {
    private struct State {
      var begun = 0
      var running = 0
      var blocks: [@Sendable (Bool) -> Void] = []
    }

    private let state = Guarded(State())
    private let ends: AsyncStream<Void>
    private let ended: AsyncStream<Void>.Continuation

    init() { (ends, ended) = AsyncStream.makeStream() }

    var begun: Int { state.withLock { $0.begun } }
    var running: Int { state.withLock { $0.running } }

    /// As `performExpiringActivity`: the block runs on another thread.
    var perform: BackgroundTime.Perform {
      { [self] block in
        state.withLock { state in
          state.begun += 1
          state.running += 1
          state.blocks.append(block)
        }
        Thread.detachNewThread { [self] in
          block(false)
          state.withLock { $0.running -= 1 }
          ended.yield()
        }
      }
    }

    /// Its patience ends.
    func expire() { state.withLock { $0.blocks.last }?(true) }

    /// Waits until an activity has ended.
    func end() async { for await _ in ends { break } }
  }

  @Test func allHoldersShareOneActivity() async {
    let system = System()
    let time = BackgroundTime(system.perform)
    time.hold()
    time.hold()
    time.release()
    #expect(system.begun == 1)
    #expect(system.running == 1)
    time.release()
    await system.end()
    #expect(system.running == 0)
    time.hold()
    #expect(system.begun == 2)
    time.release()
    await system.end()
  }

  @Test func anActivityThatTheSystemHasEndedIsFollowedByAnother() async {
    let system = System()
    let time = BackgroundTime(system.perform)
    time.hold()
    system.expire()
    await system.end()
    time.hold()
    #expect(system.begun == 2)
    #expect(system.running == 1)
    time.release()
    time.release()
    await system.end()
    #expect(system.running == 0)
  }

  /// The system gives no time at all, and says so before `hold()` returns.
  @Test func aSystemThatGivesNoTimeIsNotWaitedFor() {
    let time = BackgroundTime { block in block(true) }
    time.hold()
    time.release()
  }

  /// A block that comes late finds that all is done.
  @Test func aBlockThatComesLateReturnsAtOnce() {
    let late = Guarded<(@Sendable (Bool) -> Void)?>(nil)
    let time = BackgroundTime { block in late.withLock { $0 = block } }
    time.hold()
    time.release()
    late.withLock { $0 }?(false)
  }

  /// From the moment of the call until the server has answered.
  @Test func aSignOutIsSentInBackgroundTime() async {
    let device = TestDevice()
    let system = System()
    let running = Guarded<[Int]>([])
    var tools = device.tools
    tools.background = system.perform
    tools.transport = Watched(transport: tools.transport) {
      running.withLock { $0.append(system.running) }
    }
    let client = device.launch(tools)
    client.register(token: Data(repeating: 1, count: 32), for: .apns)
    client.setUser("u42")
    await client.settled()
    while system.running > 0 { await system.end() }
    running.withLock { $0 = [] }
    let before = system.begun
    client.signOut()
    #expect(system.begun == before + 1)
    await client.settled()
    while system.running > 0 { await system.end() }
    #expect(running.withLock { $0 } == [1])
    #expect(device.sentBodies.last?.contains(#""user":null"#) == true)
  }

  /// A pause after a failure is not held, and a sign-out ends it.
  @Test func aPauseTakesNoBackgroundTime() async {
    let device = TestDevice()
    let system = System()
    var tools = device.tools
    tools.background = system.perform
    device.networkError = .notConnectedToInternet
    let client = device.launch(tools)
    client.register(token: Data(repeating: 1, count: 32), for: .apns)
    await client.settled()
    while system.running > 0 { await system.end() }
    device.networkError = nil
    let before = system.begun
    client.signOut()
    #expect(system.begun == before + 1)
    await client.settled()
    #expect(device.requests == ["PUT"])
    while system.running > 0 { await system.end() }
  }

  private struct Watched: PostilionTransport {
    let transport: any PostilionTransport
    let watch: @Sendable () -> Void

    func send(_ request: URLRequest) async throws -> TransportResponse {
      watch()
      return try await transport.send(request)
    }
  }
}
