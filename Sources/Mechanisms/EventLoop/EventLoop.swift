internal import CLinux
internal import Glibc
internal import Synchronization

/// One thread, one epoll set, one queue of jobs: the executor of every task that serves a
/// connection, so that a request stays on its core from first byte to last. Only registrations may
/// be decided and written on another loop.
///
/// A cycle waits for readiness, calls the handlers, fires due timers, runs queued jobs until none
/// is left, then calls the cycle-end handlers (the database client sends the statements that have
/// gathered). It repeats the last two steps until no job is left or the cycle has lasted long
/// enough. Batches form by themselves under load; only registrations wait for each other, for two
/// milliseconds.
///
/// All methods but `enqueue`, `execute`, `stop` and `isCurrent` must be called on the loop.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
  private let epoll: Int32
  private let wakeup: Int32
  private let handedOver = LoopJobs()
  private let runningThread = Atomic<UInt>(0)
  private var jobs: [UnownedJob] = []
  private var slots = SlotTable()
  private var timers = TimerQueue()
  private var cycleEndHandlers: [any CycleEndHandler] = []
  private var events = [epoll_event](repeating: epoll_event(), count: Limits.eventsPerWait)
  private var now = Monotonic.now()
  private var cachedDate: (second: Int, bytes: [UInt8]) = (-1, [])

  /// The buffer into which the sockets of this loop read, before anyone else sees the bytes.
  let readBuffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: Limits.readBufferBytes, alignment: 16)

  /// Opens the epoll set; the loop runs once ``run()`` is called.
  /// - Throws: ``SystemError`` when the process is out of descriptors.
  public init() throws(SystemError) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw SystemError("epoll_create1") }
    wakeup = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    guard wakeup >= 0 else { throw SystemError("eventfd") }
    var event = postilion_epoll_event(EPOLLIN.rawValue, SlotTable.wakeupKey)
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, wakeup, &event) == 0 else {
      throw SystemError("epoll_ctl")
    }
  }

  deinit {
    close(epoll)
    close(wakeup)
    readBuffer.deallocate()
  }

  // MARK: Jobs

  /// Whether the caller is on this loop's thread.
  public var isCurrent: Bool {
    runningThread.load(ordering: .relaxed) == UInt(pthread_self())
  }

  /// Queues a job, from any thread. The jobs of one thread run in the order in which they came.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isCurrent {
      jobs.append(job)
      return
    }
    if handedOver.put(job) { wake() }
  }

  /// Starts a task that runs on this loop, from any thread. The task belongs to no call: it does
  /// not know what a call's task knows, such as when the call began.
  @discardableResult
  public func execute(_ body: sending @escaping @isolated(any) () async -> Void) -> Task<
    Void, Never
  > {
    Task.detached(executorPreference: self, operation: body)
  }

  /// Runs `body` on this loop and waits for its result, from any task.
  public func run<Result: Sendable>(
    _ body: sending @escaping @isolated(any) () async -> Result
  ) async -> Result {
    await Task(executorPreference: self, operation: body).value
  }

  /// Runs the loop on the calling thread until ``stop()``.
  public func run() {
    runningThread.store(UInt(pthread_self()), ordering: .relaxed)
    while !handedOver.empty(into: &jobs) {
      cycle()
    }
    var rounds = 0
    runJobs(&rounds)
    letGo()
    // The tasks that were woken come to their end.
    rounds = 0
    runJobs(&rounds)
    runningThread.store(0, ordering: .relaxed)
  }

  /// Forgets all handlers, and wakes the tasks that wait for them. As a rule a handler holds the
  /// loop, and the loop holds the handler. A task that waits for ever holds all that it works with.
  private func letGo() {
    // The handlers end after the access to their list, as they may want to leave the list.
    let ended = cycleEndHandlers
    cycleEndHandlers = []
    let handlers = slots.takeAll()
    for handler in handlers { handler.loopEnded() }
    withExtendedLifetime(ended) {}
  }

  /// Starts a thread that runs the loop until ``stop()``.
  public func start() { startDetachedThread { self.run() } }

  /// Makes ``run()`` return after the current cycle, from any thread.
  public func stop() {
    handedOver.stop()
    wake()
  }

  private func wake() {
    var one: UInt64 = 1
    _ = write(wakeup, &one, 8)
  }

  private func cycle() {
    let count = epoll_wait(epoll, &events, Int32(events.count), waitMilliseconds())
    now = Monotonic.now()
    for index in 0..<max(0, Int(count)) {
      let key = postilion_epoll_data(&events[index])
      if key == SlotTable.wakeupKey {
        var value: UInt64 = 0
        _ = read(wakeup, &value, 8)
        _ = handedOver.empty(into: &jobs)
      } else {
        slots.handler(key)?.loopReady(Readiness(rawValue: events[index].events))
      }
    }
    while let key = timers.popDue(now: now) {
      slots.handler(key)?.loopTimerFired()
    }
    // Tasks that the handlers wake may queue more jobs. So the cycle ends when no job is left, or
    // after a bounded number of rounds: the loop looks at its sockets again, even if tasks feed
    // each other.
    var rounds = 0
    repeat {
      runJobs(&rounds)
      for handler in cycleEndHandlers { handler.loopCycleEnded() }
    } while !jobs.isEmpty && rounds < Limits.jobRoundsPerCycle
  }

  /// Runs queued jobs and the jobs that these queue, and counts the rounds.
  private func runJobs(_ rounds: inout Int) {
    while !jobs.isEmpty, rounds < Limits.jobRoundsPerCycle {
      var batch: [UnownedJob] = []
      swap(&batch, &jobs)
      for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
      if jobs.isEmpty {
        batch.removeAll(keepingCapacity: true)
        swap(&batch, &jobs)
      }
      rounds += 1
    }
  }

  private func waitMilliseconds() -> Int32 {
    guard jobs.isEmpty else { return 0 }
    guard let deadline = timers.next else { return -1 }
    let current = Monotonic.now()
    guard deadline > current else { return 0 }
    return Int32(min((deadline - current + 999_999) / 1_000_000, 60_000))
  }

  // MARK: Descriptors and timers

  /// Stops a debug build that uses the loop from another thread while it runs: that would mix up
  /// descriptors, and with them the answers of connections.
  private func assertIsCurrent() {
    assert(
      isCurrent || runningThread.load(ordering: .relaxed) == 0, "not on the thread of this loop")
  }

  /// The time at the start of this cycle, in nanoseconds of the monotonic clock.
  public var nanoseconds: UInt64 { now }

  /// Starts telling `handler` about a descriptor; `nil` registers for timers only.
  /// - Parameter edgeTriggered: Whether the handler is told once per change, for readers that read
  ///   until there is no more.
  public func register(
    _ handler: any LoopHandler, descriptor: Int32?, interest: Readiness, edgeTriggered: Bool
  ) throws(SystemError) -> LoopKey {
    assertIsCurrent()
    let key = slots.insert(handler)
    guard let descriptor else { return key }
    let flags = edgeTriggered ? EPOLLET.rawValue : 0
    var event = postilion_epoll_event(interest.rawValue | flags, key)
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
      slots.remove(key)
      throw SystemError("epoll_ctl")
    }
    return key
  }

  /// Changes what a level-triggered descriptor is watched for.
  /// - Returns: Whether the descriptor is still the registered one: a library may have closed it
  ///   and opened another under the same number.
  @discardableResult
  public func change(_ key: LoopKey, descriptor: Int32, interest: Readiness) -> Bool {
    assertIsCurrent()
    var event = postilion_epoll_event(interest.rawValue, key)
    return epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0
  }

  /// Forgets a handler; its pending events and timers are dropped. Call before the descriptor is
  /// closed.
  public func deregister(_ key: LoopKey, descriptor: Int32?) {
    assertIsCurrent()
    slots.remove(key)
    if let descriptor { epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil) }
  }

  /// Fires `loopTimerFired` of a handler at or after a time of the monotonic clock.
  public func schedule(_ key: LoopKey, at deadline: UInt64) {
    assertIsCurrent()
    timers.insert(key, at: deadline)
  }

  /// Calls a handler at the end of every cycle, until it is removed.
  public func atCycleEnd(_ handler: any CycleEndHandler) {
    assertIsCurrent()
    cycleEndHandlers.append(handler)
  }

  /// Stops calling a handler at the end of cycles.
  public func removeCycleEndHandler(_ handler: any CycleEndHandler) {
    assertIsCurrent()
    cycleEndHandlers.removeAll { $0 === handler }
  }

  /// Something derived from the current second, made once per second: the `Date` header.
  public func perSecond(_ make: (Int) -> [UInt8]) -> [UInt8] {
    let second = Monotonic.wallClockSeconds()
    if second != cachedDate.second { cachedDate = (second, make(second)) }
    return cachedDate.bytes
  }
}
