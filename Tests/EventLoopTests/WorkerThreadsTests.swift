import Glibc
import Testing

@testable import EventLoop

/// Work that would hold a loop runs on threads of its own, within bounds.
@Suite(.timeLimit(.minutes(10))) struct WorkerThreadsTests {
  /// Holds a thread until it is opened.
  private final class Barrier: Sendable {
    private let ends = try? makePair()

    func wait() {
      var byte: UInt8 = 0
      guard let ends else { return }
      var poll = pollfd(fd: ends.0, events: Int16(POLLIN), revents: 0)
      _ = Glibc.poll(&poll, 1, -1)
      _ = read(ends.0, &byte, 1)
    }

    func open() {
      var byte: UInt8 = 1
      if let ends { _ = write(ends.1, &byte, 1) }
    }

    deinit {
      if let ends {
        close(ends.0)
        close(ends.1)
      }
    }
  }

  private static func pool(
    threads: Int = 1, waiting: Int = 2, waitingBytes: Int = 10,
    _ events: Record<WorkerThreads.Event>
  ) -> WorkerThreads {
    WorkerThreads(
      WorkerThreads.Bounds(threads: threads, waiting: waiting, waitingBytes: waitingBytes),
      observe: { events.append($0) })
  }

  /// The loop serves others while the thread is at work, and the task comes back to its loop.
  @Test func theLoopGoesOnMeanwhile() async throws {
    let events = Record<WorkerThreads.Event>()
    let pool = Self.pool(events)
    let barrier = Barrier()
    try await withLoop { loop in
      async let worked = pool.run {
        #expect(!loop.isCurrent)
        barrier.wait()
        return getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
      }
      // Begun, and held until the loop has run what follows.
      await events.wait(for: 2)
      for _ in 0..<100 { await loop.run { #expect(loop.isCurrent) } }
      barrier.open()
      let niceness = try await worked
      #expect(niceness == Limits.workerNiceness)
      #expect(loop.isCurrent)
    }
    #expect(events.all == [.queued(bytes: 0), .begun(bytes: 0), .ended])
  }

  private struct Failed: Error {}

  @Test func whatWorkThrowsIsThrown() async throws {
    let events = Record<WorkerThreads.Event>()
    let pool = Self.pool(events)
    await #expect(throws: Failed.self) { try await pool.run { throw Failed() } }
    #expect(try await pool.run { 1 } == 1)
    #expect(events.all.filter { $0 == .ended }.count == 2)
  }

  @Test func whatIsTooMuchIsRefusedAndTheRestRunsInItsOrder() async throws {
    let events = Record<WorkerThreads.Event>()
    let record = Record<Int>()
    let pool = Self.pool(events)
    let barrier = Barrier()
    async let first: Void = pool.run(bytes: 100) { barrier.wait() }
    await events.wait(for: 2)
    async let second: Void = pool.run(bytes: 8) { record.append(2) }
    await events.wait(for: 3)
    await #expect(throws: WorkRefused()) { try await pool.run(bytes: 3) { record.append(0) } }
    async let third: Void = pool.run(bytes: 2) { record.append(3) }
    await events.wait(for: 5)
    await #expect(throws: WorkRefused()) { try await pool.run { record.append(0) } }
    async let fourth: Void = pool.run(bytes: 50, isUnderWay: true) { record.append(4) }
    await events.wait(for: 7)
    barrier.open()
    _ = try await (first, second, third, fourth)
    #expect(record.all == [2, 3, 4])
    #expect(events.all.filter { $0 == .refused }.count == 2)
  }

  /// Work of a task that is cancelled never begins, or finds out on its thread.
  @Test func workThatNobodyWaitsForStops() async throws {
    let events = Record<WorkerThreads.Event>()
    let record = Record<Int>()
    let pool = Self.pool(events)
    let barrier = Barrier()
    let running = Task {
      try await pool.run {
        barrier.wait()
        try Task.checkCancellation()
        record.append(1)
      }
    }
    await events.wait(for: 2)
    let waiting = Task { try await pool.run { record.append(2) } }
    await events.wait(for: 3)
    running.cancel()
    waiting.cancel()
    barrier.open()
    await #expect(throws: CancellationError.self) { try await running.value }
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(try await pool.run { 3 } == 3)
    #expect(record.all.isEmpty)
  }

  @Test func whatWaitsIsDoneBeforeTheThreadsEnd() {
    let record = Record<Int>()
    let queue = WorkerQueue(WorkerThreads.Bounds(threads: 1, waiting: 9, waitingBytes: 9)) { _ in }
    for number in 1...3 {
      queue.add(bytes: 0) { record.append(number) }
    }
    queue.close()
    while let work = queue.next() { work() }
    #expect(record.all == [1, 2, 3])
  }

  @Test func publicWorkIsRefusedFirst() {
    var line = WorkLine<Int>(WorkerThreads.Bounds(threads: 1, waiting: 4, waitingBytes: 100))
    func add(_ bytes: Int, isPublic: Bool) -> Bool {
      line.addIfItFits(0, bytes: bytes, for: WorkShare(isPublic: isPublic))
    }
    #expect([add(60, isPublic: true), add(0, isPublic: true)] == [true, false])
    #expect([add(40, isPublic: false), add(1, isPublic: false)] == [true, false])
    while let next = line.next() { line.ended(next.share, after: 1) }
    #expect((1...3).map { _ in add(1, isPublic: true) } == [true, true, false])
    #expect((1...3).map { _ in add(1, isPublic: false) } == [true, true, false])
  }

  /// One who asks much waits behind one who asks little, by time and not by count, at each step.
  @Test func theNextIsOfTheShareThatTookTheLeastTime() {
    var line = WorkLine<String>(WorkerThreads.Bounds(threads: 2, waiting: 99, waitingBytes: 99))
    func add(_ work: String, _ isPublic: Bool, _ holder: Int32, _ customer: UInt128? = nil) {
      let share = WorkShare(isPublic: isPublic, holder: holder, customer: customer)
      line.add(work, bytes: 0, for: share)
    }
    func run(_ count: Int, costs: [String: UInt64]) -> [String] {
      (0..<count).compactMap { _ in
        line.next().map { next in
          line.ended(next.share, after: costs[next.work] ?? 1)
          return next.work
        }
      }
    }
    // An address with dear calls, another with cheap ones, then an admin.
    for _ in 0..<5 { add("dear", true, 1, 7) }
    for _ in 0..<5 { add("cheap", true, 1, 8) }
    let costs: [String: UInt64] = ["dear": 20, "cheap": 4, "admin": 5]
    #expect(run(1, costs: costs) == ["dear"])
    for _ in 0..<3 { add("admin", false, 1) }
    #expect(
      run(9, costs: costs)
        == ["admin", "admin", "admin", "cheap", "cheap", "cheap", "cheap", "cheap", "dear"])
    #expect(run(9, costs: costs) == ["dear", "dear", "dear"])
    // Two apps: two dear pieces of one are as much as many of the other.
    for _ in 0..<2 { add("dear", false, 1) }
    for _ in 0..<6 { add("cheap", false, 2) }
    #expect(
      run(8, costs: costs)
        == ["dear", "cheap", "cheap", "cheap", "cheap", "cheap", "dear", "cheap"])
  }

  @Test func publicWorkLeavesAThread() {
    var line = WorkLine<Int>(WorkerThreads.Bounds(threads: 2, waiting: 9, waitingBytes: 9))
    func take() -> Int? { line.next()?.work }
    for work in 1...2 { line.add(work, bytes: 0, for: WorkShare(isPublic: true)) }
    #expect([take(), take()] == [1, nil])
    line.add(3, bytes: 0)
    #expect([take(), take()] == [3, nil])
    line.ended(WorkShare(isPublic: true), after: 1)
    #expect(take() == 2)
  }

  @Test func oneAloneMayHaveMoreThanTheBound() {
    var line = WorkLine<String>(WorkerThreads.Bounds(threads: 1, waiting: 2, waitingBytes: 10))
    func add(_ work: String, _ bytes: Int) -> Bool { line.addIfItFits(work, bytes: bytes) }
    func take() -> String? { line.next()?.work }
    #expect([add("a", 20), add("b", 0)] == [true, false])
    #expect(take() == "a")
    #expect([add("c", 8), add("d", 2), add("e", 0)] == [true, true, false])
    line.add("f", bytes: 9)
    #expect([take(), take(), take(), take()] == ["c", "d", "f", nil])
    #expect([add("g", 10)] == [true])
  }

  @Test func oneHolderLeavesRoomForOthers() {
    var line = WorkLine<Int>(WorkerThreads.Bounds(threads: 1, waiting: 4, waitingBytes: 8))
    func add(_ bytes: Int, _ holder: Int32?) -> Bool {
      line.addIfItFits(0, bytes: bytes, for: WorkShare(holder: holder))
    }
    #expect([add(1, 1), add(1, 1), add(1, 1), add(1, 1)] == [true, true, true, false])
    #expect([add(1, 2), add(1, 2)] == [true, false])
    _ = line.next()
    #expect([add(1, 1), add(1, 1)] == [true, false])
    while line.next() != nil {}
    // Six of the eight bytes, but for what is alone.
    #expect([add(4, 1), add(3, 1), add(2, 1), add(2, nil)] == [true, false, true, true])
    while line.next() != nil {}
    #expect([add(2, 2), add(6, 1), add(0, 1)] == [true, true, true])
  }
}

extension WorkLine {
  /// Adds a piece as a pool does.
  fileprivate mutating func addIfItFits(
    _ work: Work, bytes: Int, for share: WorkShare = WorkShare()
  ) -> Bool {
    guard fits(bytes, share) else { return false }
    add(work, bytes: bytes, for: share)
    return true
  }
}
