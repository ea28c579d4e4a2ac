internal import CLinux
internal import Glibc

/// A few threads for work that would hold an event loop for longer than a millisecond: reading a
/// catalog, writing a long list.
///
/// A task suspends while its work waits and runs, and goes on where it was, as a rule on its loop.
/// Work begins in the order of ``WorkLine``: of shares that took little time first. The threads are
/// less urgent than those of loops: on a busy machine a request goes first, and the work still gets
/// on. The threads end with this object, after the work that waits.
public final class WorkerThreads: Sendable {
  /// How much may be under way and wait.
  public struct Bounds: Sendable, Hashable {
    /// Threads, at least 1.
    public let threads: Int
    /// Pieces of work that wait.
    public let waiting: Int
    /// Bytes that the waiting pieces hold together; one alone may have more.
    public let waitingBytes: Int

    public init(threads: Int, waiting: Int, waitingBytes: Int) {
      self.threads = threads
      self.waiting = waiting
      self.waitingBytes = waitingBytes
    }
  }

  /// What happens to work.
  public enum Event: Sendable, Hashable {
    /// The work waits, and holds so many bytes; goes to `begun`.
    case queued(bytes: Int)
    /// A thread runs work that had so many bytes; goes to `ended`.
    case begun(bytes: Int)
    case ended
    /// Too much work waits already; this piece never waited.
    case refused
  }

  private let queue: WorkerQueue
  private let observe: @Sendable (Event) -> Void

  /// Starts the threads.
  /// - Parameter observe: Told of each event, on any thread.
  public init(_ bounds: Bounds, observe: @escaping @Sendable (Event) -> Void = { _ in }) {
    precondition(bounds.threads > 0, "work needs a thread")
    queue = WorkerQueue(bounds, observe: observe)
    self.observe = observe
    for _ in 0..<bounds.threads {
      startDetachedThread { [queue] in
        postilion_lower_priority(Limits.workerNiceness)
        while let work = queue.next() { work() }
      }
    }
  }

  deinit { queue.close() }

  /// Runs `work` on one of the threads and waits for its result.
  ///
  /// Objects that `work` makes and does not return are freed on the thread, too: to free a million
  /// objects takes as long as a request. On the thread `work` still belongs to its task, so
  /// `Task.isCancelled` tells it whether anybody waits for the result.
  /// - Parameters:
  ///   - bytes: How many bytes the work holds while it waits.
  ///   - isUnderWay: Whether the work belongs to a call whose work has begun. Then it is never
  ///     refused: a call has one piece of it at a time.
  ///   - share: The share of the line and of the threads that the work takes.
  ///   - spent: Told, on the thread, how many nanoseconds of processor time the work took.
  /// - Throws: ``WorkRefused``; `CancellationError` if the task was cancelled before a thread came
  ///   to it; what `work` throws.
  public func run<Value: Sendable>(
    bytes: Int = 0, isUnderWay: Bool = false, for share: WorkShare = WorkShare(),
    spent: @escaping @Sendable (UInt64) -> Void = { _ in },
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    guard isUnderWay || queue.admits(bytes, share) else { throw WorkRefused() }
    let (turn, observe) = (WorkTurn(queue: queue, bytes: bytes, share: share), observe)
    return try await withTaskExecutorPreference(turn) {
      // Before the task that waits goes on.
      defer { observe(.ended) }
      try Task.checkCancellation()
      let started = ProcessorTime.ofThread()
      defer { spent(ProcessorTime.ofThread() - started) }
      return try work()
    }
  }
}

/// The way of one piece of work through the line: its task goes on when a thread comes to it.
private final class WorkTurn: TaskExecutor {
  private let queue: WorkerQueue
  private let bytes: Int
  private let share: WorkShare

  init(queue: WorkerQueue, bytes: Int, share: WorkShare) {
    (self.queue, self.bytes, self.share) = (queue, bytes, share)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.add(bytes: bytes, for: share) { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

/// The processor time of the calling thread, in nanoseconds.
enum ProcessorTime {
  /// The time that the thread has had since it began.
  static func ofThread() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// Too much work waits for threads already; the refused work may be tried again.
public struct WorkRefused: Error, Sendable, Hashable {
  public init() {}
}

/// The line from which threads take work; a thread waits while the line is empty.
///
/// Behind a pthread mutex for the reason that ``LoopJobs`` gives, and for its condition.
final class WorkerQueue: @unchecked Sendable {
  typealias Work = @Sendable () -> Void

  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var line: WorkLine<Work>
  private var isClosed = false
  private let observe: @Sendable (WorkerThreads.Event) -> Void

  init(
    _ bounds: WorkerThreads.Bounds, observe: @escaping @Sendable (WorkerThreads.Event) -> Void
  ) {
    self.observe = observe
    line = WorkLine(bounds)
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    condition = .allocate(capacity: 1)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Whether a piece of so many bytes may wait; a piece that may not is refused. Two callers that
  /// ask at once may both find the last place.
  func admits(_ bytes: Int, _ share: WorkShare) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let fits = line.fits(bytes, share)
    if !fits { observe(.refused) }
    return fits
  }

  /// Leaves work for a thread.
  func add(bytes: Int, for share: WorkShare = WorkShare(), _ work: @escaping Work) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    line.add(work, bytes: bytes, for: share)
    // Before a thread can begin with it.
    observe(.queued(bytes: bytes))
    pthread_cond_signal(condition)
  }

  /// The next work, which the calling thread waits for; `nil` when there will be no more.
  func next() -> Work? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let next = line.next() {
        observe(.begun(bytes: next.bytes))
        return { [self] in
          let started = ProcessorTime.ofThread()
          next.work()
          ended(next.share, after: ProcessorTime.ofThread() - started)
        }
      }
      if isClosed { return nil }
      pthread_cond_wait(condition, mutex)
    }
  }

  private func ended(_ share: WorkShare, after nanoseconds: UInt64) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    line.ended(share, after: nanoseconds)
  }

  /// Lets the threads end once nothing waits.
  func close() {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    isClosed = true
    pthread_cond_broadcast(condition)
  }
}

/// Starts a thread that nobody waits for and that the program cannot do without. The thread ends
/// when its work does.
func startDetachedThread(_ work: @escaping @Sendable () -> Void) {
  precondition(tryDetachedThread(work), "no thread")
}

/// Starts a thread that nobody waits for. The thread ends when its work does.
/// - Returns: Whether the system lets the process have one more.
public func tryDetachedThread(_ work: @escaping @Sendable () -> Void) -> Bool {
  let retained = Unmanaged.passRetained(ThreadWork(work))
  var thread = pthread_t()
  let status = pthread_create(
    &thread, nil,
    { argument in
      guard let argument else { return nil }
      Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue().run()
      return nil
    }, retained.toOpaque())
  guard status == 0 else {
    retained.release()
    return false
  }
  pthread_detach(thread)
  return true
}

/// What a thread does, as an object that C can hand over.
private final class ThreadWork: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
