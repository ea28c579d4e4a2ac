internal import Dispatch
internal import Glibc
internal import Synchronization

/// Writes log lines on a thread of its own: the caller never waits for the reader of the log, which
/// may have stalled. What it has no room for is dropped and counted.
///
/// Behind a pthread mutex, which is waited for with a condition and seen by the thread sanitizer.
final class LogWriter: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let news = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var buffer: LogBuffer
  private var isEnding = false
  private let droppedLines = Atomic<Int>(0)
  private let over = DispatchSemaphore(value: 0)
  private let tell: @Sendable (Int) -> [UInt8]
  private let write: Logger.Sink

  /// Starts the thread.
  /// - Parameters:
  ///   - tell: The line that tells how many were dropped.
  ///   - write: Writes whole lines, for as long as it takes; never called twice at once.
  init(
    limit: Int = Limits.waitingLogBytes, tell: @escaping @Sendable (Int) -> [UInt8],
    write: @escaping Logger.Sink
  ) {
    buffer = LogBuffer(limit: limit)
    self.tell = tell
    self.write = write
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(news, nil)
    start()
  }

  deinit {
    pthread_cond_destroy(news)
    pthread_mutex_destroy(mutex)
    news.deallocate()
    mutex.deallocate()
  }

  /// Lines that were dropped so far.
  var dropped: Int { droppedLines.load(ordering: .relaxed) }

  /// Takes lines to be written soon, or drops them; returns at once.
  func append(_ lines: [UInt8]) {
    pthread_mutex_lock(mutex)
    let dropped = buffer.add(lines)
    pthread_cond_signal(news)
    pthread_mutex_unlock(mutex)
    if dropped > 0 { droppedLines.add(dropped, ordering: .relaxed) }
  }

  /// Waits until all is written, and ends the thread; what its reader does not take in so many
  /// milliseconds is lost, as are later lines.
  func finish(milliseconds: Int) {
    pthread_mutex_lock(mutex)
    isEnding = true
    pthread_cond_signal(news)
    pthread_mutex_unlock(mutex)
    if over.wait(timeout: .now() + .milliseconds(milliseconds)) == .success { over.signal() }
  }

  private func start() {
    let retained = Unmanaged.passRetained(self)
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<LogWriter>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, retained.toOpaque())
    precondition(status == 0, "no thread for the log")
    pthread_detach(thread)
  }

  private func run() {
    while let lines = next() { write(lines) }
    over.signal()
  }

  /// Waits for lines; `nil` when there are none and none will be waited for.
  private func next() -> [UInt8]? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while buffer.isEmpty {
      if isEnding { return nil }
      pthread_cond_wait(news, mutex)
    }
    return buffer.takeAll(telling: tell)
  }
}
