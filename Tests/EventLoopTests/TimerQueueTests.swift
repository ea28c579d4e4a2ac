import TestSupport
import Testing

@testable import EventLoop

@Suite struct TimerQueueTests {
  @Test func nothingIsDueInAnEmptyQueue() {
    var queue = TimerQueue()
    #expect(queue.next == nil)
    #expect(queue.popDue(now: .max) == nil)
  }

  @Test func nothingIsDueBeforeItsTime() {
    var queue = TimerQueue()
    queue.insert(7, at: 100)
    #expect(queue.popDue(now: 99) == nil)
    #expect(queue.next == 100)
    #expect(queue.popDue(now: 100) == 7)
    #expect(queue.next == nil)
  }

  @Test(arguments: [1, 2, 3, 10, 1000])
  func entriesComeOutInTheOrderOfTheirTimes(count: Int) {
    var generator = SplitMix64(seed: UInt64(count))
    var queue = TimerQueue()
    let deadlines = (0..<count).map { _ in generator.next() % 500 }
    for (key, deadline) in deadlines.enumerated() { queue.insert(LoopKey(key), at: deadline) }
    var popped: [UInt64] = []
    while let key = queue.popDue(now: .max) { popped.append(deadlines[Int(key)]) }
    #expect(popped == deadlines.sorted())
  }
}
