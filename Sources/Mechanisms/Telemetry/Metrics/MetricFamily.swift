internal import Synchronization

/// A label and all values that it can have.
///
/// The set is closed so that no client can make the service keep a series per made-up value: a
/// value that is not in the set counts as `other`.
public struct MetricLabel: Sendable, Hashable {
  /// The label's name, such as `method`.
  public let name: String
  /// Its values but `other`.
  public let values: [String]

  /// The value that stands for all unknown ones.
  public static let other = "other"

  public init(_ name: String, _ values: [String]) {
    self.name = name
    self.values = values
  }
}

/// All series of one metric name, one child per combination of label values.
///
/// A child appears in the exposition once it was asked for. Resolve it once and keep it:
///
/// ```swift
/// let healthy = requests.child("GET", "/healthz")
/// healthy.increment()
/// ```
public final class MetricFamily<Metric: AnyObject & Sendable>: Sendable {
  let name: String
  let labels: [MetricLabel]
  private let make: @Sendable () -> Metric
  private let children = Mutex(Children())

  /// A child, and what is written of it each time.
  struct Series {
    let values: [String]
    /// `operation="getHealth",status="2xx"`; empty without labels.
    let labels: String
    let metric: Metric
  }

  private struct Children {
    var metrics: [[String]: Metric] = [:]
    /// In the order of their label values.
    var series: [Series] = []
  }

  init(name: String, labels: [MetricLabel], make: @escaping @Sendable () -> Metric) {
    self.name = name
    self.labels = labels
    self.make = make
    if labels.isEmpty { _ = child() }
  }

  /// The series with these label values, in the order of the labels.
  public func child(_ values: String...) -> Metric {
    child(values)
  }

  /// The series with these label values, in the order of the labels.
  public func child(_ values: [String]) -> Metric {
    precondition(values.count == labels.count, "\(name) has \(labels.count) labels")
    let known = zip(labels, values).map { label, value in
      label.values.contains(value) ? value : MetricLabel.other
    }
    return children.withLock { children in
      if let child = children.metrics[known] { return child }
      let child = make()
      children.metrics[known] = child
      let place = children.series.firstIndex { known.lexicographicallyPrecedes($0.values) }
      children.series.insert(
        Series(values: known, labels: Exposition.pairs(zip(labels, known)), metric: child),
        at: place ?? children.series.endIndex)
      return child
    }
  }

  /// Makes the series of all label values, so that each is exported from the start: a series that
  /// goes from nothing to 1 is no rise to Prometheus.
  public func complete() -> Self {
    var combinations: [[String]] = [[]]
    for label in labels {
      combinations = combinations.flatMap { head in label.values.map { head + [$0] } }
    }
    for values in combinations { _ = child(values) }
    return self
  }

  /// The children that were asked for, sorted by their label values.
  var series: [Series] { children.withLock { $0.series } }
}

/// A number that only grows, such as requests answered; one atomic addition.
public final class Counter: Sendable {
  private let total = Atomic<Int>(0)

  init() {}

  public var value: Int { total.load(ordering: .relaxed) }

  /// Adds `count`, which is not negative.
  public func increment(by count: Int = 1) {
    total.wrappingAdd(count, ordering: .relaxed)
  }
}

/// A number that goes up and down, such as open connections; one atomic operation.
public final class Gauge: Sendable {
  private let level = Atomic<Int>(0)

  init() {}

  public var value: Int { level.load(ordering: .relaxed) }

  public func set(_ value: Int) {
    level.store(value, ordering: .relaxed)
  }

  /// Raises the level, or lowers it when `difference` is negative.
  public func add(_ difference: Int) {
    level.wrappingAdd(difference, ordering: .relaxed)
  }
}

/// How often a measured number fell below each of a few bounds; two atomic additions.
///
/// Numbers are whole, in a unit fine enough for that (microseconds, bytes); the exposition divides
/// by `unitsPerOne`, because Prometheus wants seconds.
public final class Histogram: Sendable {
  let bounds: [Int]
  let unitsPerOne: Int
  /// One per bound and one for numbers above the last.
  private let buckets: [Counter]
  private let total = Atomic<Int>(0)

  init(bounds: [Int], unitsPerOne: Int) {
    self.bounds = bounds
    self.unitsPerOne = unitsPerOne
    buckets = (0...bounds.count).map { _ in Counter() }
  }

  /// Counts one number; a bound includes the number that equals it (`le`).
  public func observe(_ value: Int) {
    // Few bounds, and most numbers are small: a scan from below beats a binary search.
    var bucket = 0
    while bucket < bounds.count && value > bounds[bucket] { bucket += 1 }
    buckets[bucket].increment()
    total.wrappingAdd(value, ordering: .relaxed)
  }

  /// The counts and the sum so far. While others observe, the two may be a few numbers apart.
  public var snapshot: (counts: [Int], sum: Int) {
    (buckets.map(\.value), total.load(ordering: .relaxed))
  }

  /// Bounds for the time a request takes, in microseconds: 100 µs to 10 s.
  public static let requestMicroseconds = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000, 10_000_000,
  ]
}
