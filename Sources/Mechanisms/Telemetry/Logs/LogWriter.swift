internal import Dispatch
internal import Glibc
internal import Synchronization

/// Writes log lines on a thread of its own: the caller never waits for the reader of the log, which
/// may have stalled. Lines that find no room are dropped and counted, and records that repeat are
/// counted each minute (``RepeatedRecords``).
///
/// Behind a pthread mutex, which is waited for with a condition and seen by the thread sanitizer.
final class LogWriter: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let news = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var buffer: LogBuffer
  private var repeated: RepeatedRecords
  private var isEnding = false
  private let droppedLines = Atomic<Int>(0)
  private let over = DispatchSemaphore(value: 0)
  private let lines: @Sendable ([LogRecord]) -> [UInt8]
  private let write: Logger.Sink

  /// Starts the thread.
  /// - Parameters:
  ///   - lines: Makes lines of records.
  ///   - write: Writes whole lines, for as long as it takes; never called twice at once.
  init(
    limit: Int = Limits.waitingLogBytes, repeated: RepeatedRecords = RepeatedRecords(),
    lines: @escaping @Sendable ([LogRecord]) -> [UInt8], write: @escaping Logger.Sink
  ) {
    buffer = LogBuffer(limit: limit)
    self.repeated = repeated
    self.lines = lines
    self.write = write
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(news, &attributes)
    pthread_condattr_destroy(&attributes)
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

  /// Takes records to be written soon, or drops or counts them; returns at once.
  func append(_ records: [LogRecord]) {
    var news = records
    if records.contains(where: { $0.repetition == .counted }) {
      pthread_mutex_lock(mutex)
      let now = Self.now()
      news = records.filter { repeated.isNews($0, at: now) }
      pthread_mutex_unlock(mutex)
    }
    guard !news.isEmpty else { return }
    let lines = lines(news)
    pthread_mutex_lock(mutex)
    add(lines)
    pthread_cond_signal(self.news)
    pthread_mutex_unlock(mutex)
  }

  /// Within the mutex.
  private func add(_ lines: [UInt8]) {
    let dropped = buffer.add(lines)
    if dropped > 0 { droppedLines.add(dropped, ordering: .relaxed) }
  }

  /// Waits until all is written, and ends the thread; lines that the reader does not take in so
  /// many milliseconds are lost, as are later lines.
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
    while true {
      let counts = isEnding ? repeated.rest() : repeated.due(at: Self.now())
      if !counts.isEmpty { add(lines(counts)) }
      if !buffer.isEmpty { break }
      if isEnding { return nil }
      wait(until: repeated.next)
    }
    return buffer.takeAll { [lines] count in
      lines([LogRecord(.warning, "log_lines_dropped", ["lines": .integer(count)])])
    }
  }

  private func wait(until due: UInt64?) {
    guard let due else { return _ = pthread_cond_wait(news, mutex) }
    var time = timespec(
      tv_sec: Int(due / 1_000_000_000), tv_nsec: Int(due % 1_000_000_000))
    pthread_cond_timedwait(news, mutex, &time)
  }

  /// Nanoseconds of the clock that never jumps.
  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
