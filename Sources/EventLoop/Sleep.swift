extension EventLoop {
  /// The time that lies so far ahead, at most the end of time.
  public func deadline(in nanoseconds: UInt64) -> UInt64 {
    let (sum, overflow) = Monotonic.now().addingReportingOverflow(nanoseconds)
    return overflow ? .max : sum
  }

  /// Suspends the calling task of this loop for a time, to a millisecond, or until the loop ends.
  public func sleep(nanoseconds: UInt64) async {
    let sleeper = Sleeper()
    guard
      let key = try? register(sleeper, descriptor: nil, interest: [], edgeTriggered: false)
    else { return }
    await withUnsafeContinuation { continuation in
      sleeper.continuation = continuation
      schedule(key, at: deadline(in: nanoseconds))
    }
    deregister(key, descriptor: nil)
  }
}

/// Wakes one sleeping task.
private final class Sleeper: LoopHandler {
  var continuation: UnsafeContinuation<Void, Never>?
  func loopReady(_ readiness: Readiness) {}
  func loopTimerFired() { continuation.take()?.resume() }
  func loopEnded() { loopTimerFired() }
}
