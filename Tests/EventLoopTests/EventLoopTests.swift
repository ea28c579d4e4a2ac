import Foundation
import Glibc
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10))) struct EventLoopTests {
  // MARK: Jobs

  @Test func jobsOfTheLoopRunInTheirOrder() async throws {
    let record = Record<Int>()
    try await withLoop { loop in
      for number in 0..<100 { loop.execute { record.append(number) } }
      await loop.run {}
      #expect(loop.isCurrent)
    }
    #expect(record.all == Array(0..<100))
  }

  @Test func jobsOfAnotherThreadRunInTheirOrder() async throws {
    let loop = try EventLoop()
    loop.start()
    defer { loop.stop() }
    let record = Record<Int>()
    for number in 0..<100 {
      loop.execute {
        record.append(number)
        #expect(loop.isCurrent)
      }
    }
    await loop.run {}
    #expect(record.all == Array(0..<100))
    #expect(!loop.isCurrent)
  }

  @Test func jobsQueuedBeforeTheStartWaitForIt() async throws {
    let loop = try EventLoop()
    let task = loop.execute { #expect(loop.isCurrent) }
    loop.start()
    await task.value
    loop.stop()
  }

  @Test(.timeLimit(.minutes(5))) func whoSleepsIsWokenWhenTheLoopEnds() async throws {
    let loop = try EventLoop()
    loop.start()
    let task = loop.execute { await loop.sleep(nanoseconds: .max) }
    await loop.run {}
    loop.stop()
    await task.value
  }

  @Test func manyThreadsHandOverAllTheirJobs() async throws {
    let record = Record<Int>()
    let loop = try EventLoop()
    loop.start()
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask {
          for number in 0..<500 { await loop.run { record.append(thread * 500 + number) } }
        }
      }
    }
    loop.stop()
    #expect(record.all.sorted() == Array(0..<4000))
  }

  /// Two tasks that wake each other for ever leave room for timers and sockets.
  @Test func busyTasksStarveNobody() async throws {
    try await withLoop { loop in
      let busy = loop.execute { while !Task.isCancelled { await Task.yield() } }
      let (mine, theirs) = try makePair()
      let socket = try StreamSocket(mine, loop: loop)
      await loop.sleep(nanoseconds: .milliseconds(1))
      _ = Glibc.write(theirs, "x", 1)
      #expect(await socket.waitReadable() == .ready)
      busy.cancel()
      socket.close()
      Glibc.close(theirs)
    }
  }

  @Test func stopLetsRunReturn() async throws {
    let loop = try EventLoop()
    let thread = AsyncStream<Void> { continuation in
      Thread.detachNewThread {
        loop.run()
        continuation.finish()
      }
    }
    await loop.run {}
    loop.stop()
    for await _ in thread {}
    #expect(!loop.isCurrent)
  }

  /// A handler that holds its loop, as most do.
  private final class Holder: CycleEndHandler, LoopHandler {
    let loop: EventLoop
    init(_ loop: EventLoop) { self.loop = loop }
    func loopCycleEnded() {}
    func loopReady(_ readiness: Readiness) {}
    func loopTimerFired() {}
  }

  @Test func aLoopThatHasEndedHoldsNothing() async throws {
    weak var released: EventLoop?
    func end() async throws {
      let loop = try EventLoop()
      released = loop
      loop.start()
      await loop.run {
        loop.atCycleEnd(Holder(loop))
        _ = try? loop.register(Holder(loop), descriptor: nil, interest: [], edgeTriggered: false)
      }
      loop.stop()
    }
    try await end()
    // Its thread is still about to end.
    while released != nil { usleep(1000) }
  }

  // MARK: Cycle ends

  private final class Counter: CycleEndHandler {
    var count = 0
    func loopCycleEnded() { count += 1 }
  }

  @Test func cycleEndHandlersAreCalledUntilTheyAreRemoved() async throws {
    try await withLoop { loop in
      let counter = Counter()
      loop.atCycleEnd(counter)
      await loop.sleep(nanoseconds: 1)
      await loop.sleep(nanoseconds: 1)
      let count = counter.count
      #expect(count >= 2)
      loop.removeCycleEndHandler(counter)
      await loop.sleep(nanoseconds: 1)
      await loop.sleep(nanoseconds: 1)
      #expect(counter.count <= count + 1)
    }
  }

  // MARK: Time

  @Test func whatIsMadePerSecondIsMadeOncePerSecond() async throws {
    try await withLoop { loop in
      var made: [Int] = []
      let before = Int(Date().timeIntervalSince1970)
      for _ in 0..<1000 {
        let bytes = loop.perSecond { second in
          made.append(second)
          return Array("\(second)".utf8)
        }
        #expect(String(decoding: bytes, as: UTF8.self) == made.last.map { "\($0)" })
      }
      // The test may run over the end of a second, but no second is made twice.
      #expect(Set(made).count == made.count)
      let after = Int(Date().timeIntervalSince1970)
      #expect(made.allSatisfy { (before...after).contains($0) } && !made.isEmpty)
    }
  }

  @Test func sleepersWakeInTheOrderOfTheirTimes() async throws {
    let record = Record<Int>()
    try await withLoop { loop in
      let start = Monotonic.now()
      let tasks = [600, 200, 400, 0].map { milliseconds in
        loop.execute {
          await loop.sleep(nanoseconds: .milliseconds(UInt64(milliseconds)))
          record.append(milliseconds)
          #expect(Monotonic.now() - start >= .milliseconds(UInt64(milliseconds)))
        }
      }
      for task in tasks { await task.value }
    }
    #expect(record.all == [0, 200, 400, 600])
  }

  @Test func theEndOfTimeIsNoOverflow() async throws {
    try await withLoop { loop in
      #expect(loop.deadline(in: .max) == .max)
      loop.execute { await loop.sleep(nanoseconds: .max) }
      await loop.sleep(nanoseconds: .milliseconds(2))
    }
  }

  private final class Alarm: LoopHandler {
    var firings = 0
    func loopReady(_ readiness: Readiness) {}
    func loopTimerFired() { firings += 1 }
  }

  @Test func timersOfTheForgottenAreDropped() async throws {
    try await withLoop { loop in
      let forgotten = Alarm()
      let successor = Alarm()
      let key = try loop.register(forgotten, descriptor: nil, interest: [], edgeTriggered: false)
      loop.schedule(key, at: loop.deadline(in: .milliseconds(1)))
      loop.deregister(key, descriptor: nil)
      let next = try loop.register(successor, descriptor: nil, interest: [], edgeTriggered: false)
      await loop.sleep(nanoseconds: .milliseconds(5))
      #expect(forgotten.firings == 0)
      #expect(successor.firings == 0)
      loop.deregister(next, descriptor: nil)
    }
  }
}

@Suite struct SlotTableTests {
  private final class Handler: LoopHandler {
    func loopReady(_ readiness: Readiness) {}
    func loopTimerFired() {}
  }

  @Test func aSlotIsUsedAgainUnderAnotherKey() {
    var slots = SlotTable()
    let first = Handler()
    let second = Handler()
    var keys: Set<LoopKey> = []
    var last = slots.insert(first)
    for _ in 0..<1000 {
      #expect(keys.insert(last).inserted)
      slots.remove(last)
      #expect(slots.handler(last) == nil)
      // Removing twice does not free the successor's slot.
      let next = slots.insert(second)
      slots.remove(last)
      #expect(slots.handler(next) === second)
      last = next
    }
    #expect(last & 0xFFFF_FFFF == 0)
  }
}
