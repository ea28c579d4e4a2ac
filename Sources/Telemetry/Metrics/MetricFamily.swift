internal import Synchronization

/// A label and all values that it can have.
///
/// The set is closed so that no client can make the service keep a series per made-up value:
/// whatever is not in it counts as `other`.
public struct MetricLabel: Sendable, Hashable {
  /// The label's name, such as `method`.
  public let name: String
  /// Its values but `other`.
  public let values: [String]

  /// The value that stands for all unknown ones.
  public static let other = "other"

  /// A label with its values.
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
  let help: String
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

  init(
    name: String, help: String, labels: [MetricLabel], make: @escaping @Sendable () -> Metric
  ) {
    self.name = name
    self.help = help
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

  /// Makes the series of all label values, so that each is exported from the start: what goes from
  /// nothing to 1 is no rise to Prometheus.
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
