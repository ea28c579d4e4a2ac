internal import Glibc

/// The line of work that threads take from, each waiting while it is empty.
///
/// Behind a pthread mutex for the reason that ``Inbox`` gives, and for its condition.
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

  /// Leaves work for a thread.
  /// - Returns: Whether it may wait.
  func add(
    bytes: Int, isUnderWay: Bool = false, leavesHalf: Bool = false, for holder: Int32? = nil,
    _ work: @escaping Work
  ) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard
      line.add(work, bytes: bytes, isUnderWay: isUnderWay, leavesHalf: leavesHalf, for: holder)
    else {
      observe(.refused)
      return false
    }
    // Before a thread can begin with it.
    observe(.queued(bytes: bytes))
    pthread_cond_signal(condition)
    return true
  }

  /// The next work, which the calling thread waits for; `nil` when there will be no more.
  func next() -> Work? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let next = line.next() {
        observe(.begun(bytes: next.bytes))
        return next.work
      }
      if isClosed { return nil }
      pthread_cond_wait(condition, mutex)
    }
  }

  /// Lets the threads end once nothing waits.
  func close() {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    isClosed = true
    pthread_cond_broadcast(condition)
  }
}
