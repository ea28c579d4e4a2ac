internal import EventLoop

/// Makes one task of a loop wait for a time, or until ``ring()``; on the loop.
final class DeliveryAlarm: LoopHandler, @unchecked Sendable {
  private let loop: EventLoop
  private var key: LoopKey?
  private var sleeper: UnsafeContinuation<Void, Never>?
  /// When the sleeper is woken at the latest.
  private var deadline = UInt64.max
  /// When the timer fires; a timer cannot be taken back.
  private var armed = UInt64.max
  private var isRung = false

  init(_ loop: EventLoop) {
    self.loop = loop
    key = try? loop.register(self, descriptor: nil, interest: [], edgeTriggered: false)
  }

  /// Waits; returns at once when it was rung since the last wait.
  func wait(nanoseconds: UInt64) async {
    if !isRung, key != nil {
      await withUnsafeContinuation { continuation in
        sleeper = continuation
        deadline = loop.deadline(in: nanoseconds)
        arm()
      }
    }
    isRung = false
  }

  private func arm() {
    guard let key, deadline < armed else { return }
    armed = deadline
    loop.schedule(key, at: deadline)
  }

  /// Ends the wait, or the next one.
  func ring() {
    isRung = true
    sleeper.take()?.resume()
  }

  /// Forgets the timer; nobody waits any more.
  func close() {
    if let key { loop.deregister(key, descriptor: nil) }
    key = nil
    ring()
  }

  func loopReady(_ readiness: Readiness) {}

  func loopTimerFired() {
    guard loop.nanoseconds >= armed else { return }
    armed = .max
    guard sleeper != nil else { return }
    if loop.nanoseconds >= deadline { sleeper.take()?.resume() } else { arm() }
  }
}
