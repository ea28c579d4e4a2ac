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
