internal import Glibc

/// Termination signals as a value to wait for, instead of a handler that may do almost nothing.
public struct TerminationSignals: Sendable {
  /// Keeps SIGTERM and SIGINT from ending the process, and ignores SIGPIPE. Call before any thread
  /// is started: threads inherit the mask.
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

  /// Suspends until one of them arrives.
  public func wait() async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let waiting = Waiting(continuation)
      var thread = pthread_t()
      let status = pthread_create(
        &thread, nil,
        { argument in
          guard let argument else { return nil }
          var set = TerminationSignals.set()
          var number: Int32 = 0
          sigwait(&set, &number)
          Unmanaged<Waiting>.fromOpaque(argument).takeRetainedValue().continuation.resume()
          return nil
        }, Unmanaged.passRetained(waiting).toOpaque())
      precondition(status == 0, "no thread to wait for signals")
      pthread_detach(thread)
    }
  }

  private final class Waiting {
    let continuation: UnsafeContinuation<Void, Never>
    init(_ continuation: UnsafeContinuation<Void, Never>) { self.continuation = continuation }
  }
}
