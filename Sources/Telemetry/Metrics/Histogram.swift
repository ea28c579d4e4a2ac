internal import Synchronization

/// How often a measured number fell below each of a few bounds; two atomic additions.
///
/// Numbers are whole, in a unit fine enough for that (microseconds, bytes); the exposition divides
/// by `unitsPerOne`, because Prometheus wants seconds.
public final class Histogram: Sendable {
  let bounds: [Int]
  let unitsPerOne: Int
  /// One per bound and one for what lies above the last.
  private let buckets: [Counter]
  private let total = Atomic<Int>(0)

  init(bounds: [Int], unitsPerOne: Int) {
    self.bounds = bounds
    self.unitsPerOne = unitsPerOne
    buckets = (0...bounds.count).map { _ in Counter() }
  }

  /// Counts one number; a bound counts what equals it (`le`).
  public func observe(_ value: Int) {
    // Few bounds, and most numbers are small: a scan from below beats a binary search.
    var bucket = 0
    while bucket < bounds.count && value > bounds[bucket] { bucket += 1 }
    buckets[bucket].increment()
    total.wrappingAdd(value, ordering: .relaxed)
  }

  /// What was observed so far. Taken while others observe, sum and counts may be a few apart.
  public var snapshot: (counts: [Int], sum: Int) {
    (buckets.map(\.value), total.load(ordering: .relaxed))
  }

  /// Bounds for the time a request takes, in microseconds: 100 µs to 10 s.
  public static let requestMicroseconds = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000, 10_000_000,
  ]
}
