internal import Glibc
internal import Synchronization

/// SIGTERM and SIGINT as something to wait for, instead of a handler that may do almost nothing.
///
/// The main thread takes them in ``forward()``, and it must: Dispatch parks an asynchronous main
/// thread with every signal unblocked, where the default action would end the process.
public final class TerminationSignals: Sendable {
  private enum State {
    /// Nobody waits yet: a signal ends the process. Leads to `expected`, `awaited` or `arrived`.
    case none
    /// Somebody is about to wait, and hears of a signal then. Leads to `awaited` or `arrived`.
    case expected
    /// A signal ends the wait; leads to `arrived`.
    case awaited(UnsafeContinuation<Void, Never>)
    /// Another signal ends the process.
    case arrived
  }
  private let state = Mutex(State.none)
  private let lastWork = Mutex<(@Sendable () -> Void)?>(nil)
  /// The status with which a signal ends the process.
  private let endStatus = Mutex<Int32?>(nil)

  /// Keeps both signals from ending the process, and ignores SIGPIPE. Make this object on the main
  /// thread before any other thread is started: threads inherit the mask.
  public init() {
    var set = Self.set()
    pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
  }

  private static func set() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGTERM)
    sigaddset(&set, SIGINT)
    return set
  }

  /// Blocks the main thread for good: a signal ends ``wait()``, or the process when nobody waits
  /// (while it is starting, or already stopping).
  public func forward() -> Never {
    var set = Self.set()
    var number: Int32 = 0
    while true {
      sigwait(&set, &number)
      switch arrive() {
      case .awaited(let continuation): continuation.resume()
      case .expected: break
      case .none, .arrived: end(128 + number)
      }
    }
  }

  /// From now on the first signal ends ``wait()``, also if the wait is yet to come.
  public func expectWait() {
    state.withLock { state in if case .none = state { state = .expected } }
  }

  /// Sets the work to do before a signal ends the process at once. The process does not wait longer
  /// than five seconds for it.
  public func beforeEnd(_ work: @escaping @Sendable () -> Void) { lastWork.withLock { $0 = work } }

  /// The status with which the process ends: if a signal ends it, the status of that signal, else
  /// `status`. Work that the signal breaks off may be over before the process is.
  public func status(unlessEnding status: Int32) -> Int32 { endStatus.withLock { $0 } ?? status }

  private func end(_ status: Int32) -> Never {
    endStatus.withLock { $0 = status }
    guard let work = lastWork.withLock({ $0 }) else { exit(status) }
    // The work has a thread of its own: a start may hold all threads that tasks have.
    _ = tryDetachedThread {
      work()
      _exit(status)
    }
    sleep(5)
    _exit(status)
  }

  /// Suspends until the first signal arrives, or ``endWait()`` is called; for one caller, once.
  public func wait() async {
    await withUnsafeContinuation { continuation in
      let isOver = state.withLock { state in
        if case .arrived = state { return true }
        state = .awaited(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  /// Ends ``wait()`` as the first signal does, also a wait that is still to come.
  public func endWait() {
    if case .awaited(let continuation) = arrive() { continuation.resume() }
  }

  /// Nobody waits any more.
  /// - Returns: The state before.
  private func arrive() -> State {
    state.withLock { state in
      defer { state = .arrived }
      return state
    }
  }
}
