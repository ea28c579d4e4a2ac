internal import CLinux

/// A few threads for work that would hold an event loop for longer than a millisecond: reading a
/// catalog, writing a long list.
///
/// A task suspends while its work waits and runs, and goes on where it was, as a rule on its loop.
/// Work begins in the order in which it came. The threads are less urgent than those of loops: on a
/// busy machine a request goes first, and the work still gets on. They end with this object, after
/// what waits.
public final class WorkerThreads: Sendable {
  /// How much may be under way and wait.
  public struct Bounds: Sendable, Hashable {
    /// Threads, at least 1.
    public let threads: Int
    /// Pieces of work that wait.
    public let waiting: Int
    /// Bytes that they hold together; one alone may have more.
    public let waitingBytes: Int

    /// Bounds of a pool.
    public init(threads: Int, waiting: Int, waitingBytes: Int) {
      self.threads = threads
      self.waiting = waiting
      self.waitingBytes = waitingBytes
    }
  }

  /// What happens to work.
  public enum Event: Sendable, Hashable {
    /// It waits, and holds so many bytes; goes to `begun`.
    case queued(bytes: Int)
    /// A thread runs what had so many bytes; goes to `ended`.
    case begun(bytes: Int)
    /// It is done.
    case ended
    /// Too much waits already; it never waited.
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
  /// What `work` makes and does not return ends on the thread, too: to free a million objects takes
  /// as long as a request.
  /// - Parameters:
  ///   - bytes: What it holds while it waits.
  ///   - isUnderWay: It belongs to a call whose work has begun, and is never refused: a call has
  ///     one piece of it at a time.
  ///   - leavesHalf: It is refused when half of what may wait does: others come first.
  ///   - holder: For whom, an app: of what waits it may have three quarters.
  /// - Throws: ``WorkRefused``; what `work` throws.
  public func run<Value: Sendable>(
    bytes: Int = 0, isUnderWay: Bool = false, leavesHalf: Bool = false, for holder: Int32? = nil,
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let observe = observe
    let result: Result<Value, any Error> = await withUnsafeContinuation { continuation in
      let isQueued = queue.add(
        bytes: bytes, isUnderWay: isUnderWay, leavesHalf: leavesHalf, for: holder
      ) {
        let result = Result { try work() }
        observe(.ended)
        continuation.resume(returning: result)
      }
      if !isQueued { continuation.resume(returning: .failure(WorkRefused())) }
    }
    return try result.get()
  }
}

/// Too much work waits for threads already; it may be tried again.
public struct WorkRefused: Error, Sendable, Hashable {
  /// The only one.
  public init() {}
}
