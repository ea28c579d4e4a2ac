internal import Glibc

/// How the work on an input grows with the input's size.
///
/// Work that is proportional to the size takes four times as long for four times as much, work that
/// is proportional to its square sixteen times. What is measured is the time that the processor
/// spent for the thread, not the clock: neighbours slow it down, but do not multiply it. Each time
/// is the least of several, and measuring ends as soon as they show that the work is not quadratic.
public enum Growth {
  /// More than this many times the work for four times as much, and it is taken for quadratic.
  public static let limit = 10.0

  /// How many times as long the work takes on the second input, which is four times the first.
  ///
  /// The work must stay on its thread: it is not `async`.
  public static func ofWork<Input>(
    on small: Input, and large: Input, _ work: (Input) -> Void
  ) -> Double {
    var least = (small: Double.infinity, large: Double.infinity)
    for round in 1...8 {
      least.small = min(least.small, seconds { work(small) })
      least.large = min(least.large, seconds { work(large) })
      if round > 1, least.large < least.small * limit { break }
    }
    return least.large / least.small
  }

  private static func seconds(_ work: () -> Void) -> Double {
    let start = processorSeconds()
    work()
    return processorSeconds() - start
  }

  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
