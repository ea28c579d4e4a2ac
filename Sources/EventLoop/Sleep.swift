extension EventLoop {
  /// Suspends the calling task of this loop for a time; for back-off and polling, not for batching.
  public func sleep(nanoseconds: UInt64) async {
    let sleeper = Sleeper()
    guard
      let key = try? register(sleeper, descriptor: nil, interest: [], edgeTriggered: false)
    else { return }
    await withUnsafeContinuation { continuation in
      sleeper.continuation = continuation
      schedule(key, at: Monotonic.now() + nanoseconds)
    }
    deregister(key, descriptor: nil)
  }
}

/// Wakes one sleeping task.
private final class Sleeper: LoopHandler {
  var continuation: UnsafeContinuation<Void, Never>?
  func loopReady(_ readiness: Readiness) {}
  func loopTimerFired() { continuation.take()?.resume() }
}
