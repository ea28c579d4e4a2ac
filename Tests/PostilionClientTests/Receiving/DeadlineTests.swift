import Foundation
import Testing

@testable import PostilionClient

@Suite struct DeadlineTests {
  /// A clock whose time never comes.
  private static let never: Deadline.Sleep = { _ in
    try await Task.sleep(nanoseconds: .max / 2)
  }

  @Test(
    arguments: [
      (0.5, 500_000_000), (0, 0), (-1, 0), (.nan, 0), (-.infinity, 0),
      (.infinity, 31_536_000_000_000_000), (1e300, 31_536_000_000_000_000),
    ] as [(TimeInterval, UInt64)])
  func aWaitHasABound(seconds: TimeInterval, nanoseconds: UInt64) {
    #expect(Deadline.nanoseconds(seconds) == nanoseconds)
  }

  @Test func resultsComeInTheOrderOfTheWork() async {
    let deadline = Deadline(in: 20, sleep: Self.never)
    let results = await deadline.results(of: (0..<8).map { number in { @Sendable in number } })
    #expect(results == Array(0..<8))
    #expect(await deadline.results(of: [@Sendable () async -> Int]()) == [])
    deadline.cancel()
  }

  @Test func whatIsNotDoneIsCancelledAndNotWaitedFor() async {
    let gate = Gate()
    let (late, continuation) = AsyncStream<Bool>.makeStream()
    let deadline = Deadline(in: 20) { #expect($0 == 20) }
    let work: @Sendable () async -> Bool = {
      await gate.opened()
      return Task.isCancelled
    }
    let results = await deadline.results(of: [work, work]) { continuation.yield($0) }
    #expect(results == [nil, nil])
    await gate.open()
    var wereCancelled: [Bool] = []
    for await wasCancelled in late.prefix(2) { wereCancelled.append(wasCancelled) }
    #expect(wereCancelled == [true, true])
  }

  /// Each step, and what it answers.
  @Test func whatCameBeforeTheEndCounts() async {
    let gathering = Gathering<String>(3)
    #expect(gathering.put("a", at: 0))
    #expect(gathering.put("c", at: 2))
    gathering.end()
    #expect(!gathering.put("b", at: 1))
    #expect(await gathering.results() == ["a", nil, "c"])
    gathering.end()
    #expect(await gathering.results() == ["a", nil, "c"])
  }

  @Test func aCallerThatIsCancelledCancelsTheWork() async {
    let deadline = Deadline(in: 20, sleep: Self.never)
    let gate = Gate()
    let caller = Task {
      await deadline.results(of: [
        { @Sendable in
          await gate.open()
          return (try? await Self.never(0)) == nil
        }
      ])
    }
    await gate.opened()
    caller.cancel()
    #expect(await caller.value == [true])
    deadline.cancel()
  }
}
