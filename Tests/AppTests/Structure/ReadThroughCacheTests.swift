import AppTesting
import EventLoop
import Synchronization
import Testing

@testable import App
@testable import Content

/// What is read once is remembered, within bounds and until it changes.
@Suite struct ReadThroughCacheTests {
  /// A cache of strings, and the keys that were read.
  private final class RecordedCache: Sendable {
    let cache: ReadThroughCache<Int, String?>
    let loop: EventLoop
    private let log = Mutex<[Int]>([])

    init(count: Int = 3, bytes: Int = 100) async throws {
      cache = ReadThroughCache(
        maximumCount: count, maximumBytes: bytes, bytes: { $0?.utf8.count ?? 0 })
      loop = try await TestService.shared().service.contexts[0].loop
    }

    var reads: [Int] { log.withLock { $0 } }

    /// The value of a key; those below 1 have none.
    func value(
      _ key: Int, length: Int = 1, _ meanwhile: @escaping @Sendable () async -> Void = {}
    ) async throws -> String? {
      try await cache.value(key, on: loop) { [self] _ in
        log.withLock { $0.append(key) }
        await meanwhile()
        return key < 1 ? nil : String(repeating: "v", count: length)
      }
    }
  }

  @Test func aValueIsReadOnce() async throws {
    let recorded = try await RecordedCache()
    for key in [1, 0, 1, 0] {
      #expect(try await recorded.value(key) == (key == 0 ? nil : "v"))
    }
    #expect(recorded.reads == [1, 0])
    recorded.cache.forget(1)
    _ = try await recorded.value(1)
    recorded.cache.forgetAll()
    _ = try await recorded.value(0)
    #expect(recorded.reads == [1, 0, 1, 0])
  }

  @Test func thoseWhoAskMeanwhileWaitForTheSameReading() async throws {
    let recorded = try await RecordedCache()
    let values = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<20 { group.addTask { try await recorded.value(1) { await Task.yield() } } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(values == Array(repeating: "v", count: 20))
    #expect(recorded.reads == [1])
  }

  @Test func whatChangedWhileItWasReadIsReadAgain() async throws {
    let recorded = try await RecordedCache()
    _ = try await recorded.value(1) { recorded.cache.forget(1) }
    _ = try await recorded.value(1)
    #expect(recorded.reads == [1, 1])
  }

  @Test func aReadingThatFailsIsNotRemembered() async throws {
    struct Failure: Error {}
    let recorded = try await RecordedCache()
    await #expect(throws: Failure.self) {
      try await recorded.cache.value(1, on: recorded.loop) { _ in throw Failure() }
    }
    #expect(try await recorded.value(1) == "v")
  }

  @Test func theLeastRecentlyUsedMakesRoom() async throws {
    let recorded = try await RecordedCache()
    for key in [1, 2, 3, 1, 4] { _ = try await recorded.value(key) }
    for key in [1, 3, 4, 2] { _ = try await recorded.value(key) }
    #expect(recorded.reads == [1, 2, 3, 4, 2])
  }

  @Test func whatIsNotThereMakesRoomFirst() async throws {
    let recorded = try await RecordedCache()
    for key in [1, 2, 0, -1, 1, 2, -1, 0] { _ = try await recorded.value(key) }
    #expect(recorded.reads == [1, 2, 0, -1, 0])
  }

  @Test func soDoWhatIsBeyondTheBytes() async throws {
    let recorded = try await RecordedCache(bytes: 10)
    for (key, length) in [(1, 4), (2, 4), (3, 4), (2, 4), (3, 4)] {
      _ = try await recorded.value(key, length: length)
    }
    #expect(recorded.reads == [1, 2, 3])
    // One alone may be of any size.
    _ = try await recorded.value(4, length: 1000)
    _ = try await recorded.value(4)
    #expect(recorded.reads == [1, 2, 3, 4])
  }
}
