internal import Glibc

/// The two clocks that the loop reads; everything else is given the time.
public enum Monotonic {
  /// Nanoseconds of a clock that never jumps (CLOCK_MONOTONIC).
  public static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Microseconds since 1970-01-01T00:00:00Z.
  public static func wallClockMicroseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  /// Seconds since 1970-01-01T00:00:00Z, cheap and good to a few milliseconds.
  static func wallClockSeconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME_COARSE, &time)
    return time.tv_sec
  }
}

extension EventLoop {
  /// The time so many nanoseconds from now, at most the end of time.
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

/// How much longer a slow peer may keep us waiting. Waiting uses the allowance up; bytes that move
/// earn it back, at the lowest rate that is accepted, up to the whole allowance.
///
///     10 s, 1000 bytes a second    waited 9 s: 1 s left; moved 5000: 6 s left
///                                  waited 7 s: exhausted
///
/// So a peer that does nothing is given up after the allowance, a peer below the rate a little
/// later, and a peer that keeps to the rate never. Time in which we are not waiting does not count.
public struct PeerAllowance: Sendable, Hashable {
  private let allowance: UInt64
  private let bytesPerSecond: UInt64
  /// Nanoseconds that may still be waited.
  public private(set) var left: UInt64

  /// The whole allowance.
  /// - Parameter bytesPerSecond: At least 1.
  public init(allowanceNanoseconds: UInt64, bytesPerSecond: UInt64) {
    allowance = allowanceNanoseconds
    left = allowanceNanoseconds
    self.bytesPerSecond = max(1, bytesPerSecond)
  }

  /// Whether the peer is given up.
  public var isExhausted: Bool { left == 0 }

  /// Takes the time that we waited off what is left.
  public mutating func waited(_ nanoseconds: UInt64) {
    left -= min(left, nanoseconds)
  }

  /// Adds the time that bytes have earned by moving.
  public mutating func moved(_ bytes: Int) {
    let (product, overflow) = UInt64(max(0, bytes)).multipliedReportingOverflow(by: 1_000_000_000)
    let earned = overflow ? allowance : product / bytesPerSecond
    left = allowance - left > earned ? left + earned : allowance
  }
}
