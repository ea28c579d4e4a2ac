internal import Synchronization

/// The metrics of a service, and their text for Prometheus.
///
/// Names are given once, at start; giving one twice is a programming mistake and stops the process.
public final class MetricsRegistry: Sendable {
  /// The media type of ``render()``.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private let families = Mutex<[String: @Sendable (inout Exposition) -> Void]>([:])

  public init() {}

  /// Declares a counter; its name ends in `_total`.
  public func counter(
    _ name: String, _ help: String, labels: [MetricLabel] = []
  ) -> MetricFamily<Counter> {
    family(name, help, "counter", labels, { Counter() }) { exposition, series in
      exposition.sample(name, series.labels, series.metric.value.description)
    }
  }

  /// Declares a counter with one label, whose values are all there from the start.
  public func counter(
    _ name: String, _ help: String, _ label: String, _ values: [String]
  ) -> MetricFamily<Counter> {
    counter(name, help, labels: [MetricLabel(label, values)]).complete()
  }

  /// Declares a counter that is read when the text is made; its name ends in `_total`.
  public func counter(_ name: String, _ help: String, reading read: @escaping @Sendable () -> Int) {
    register(name) { exposition in
      exposition.header(name, help, type: "counter")
      exposition.sample(name, "", read().description)
    }
  }

  public func gauge(
    _ name: String, _ help: String, labels: [MetricLabel] = []
  ) -> MetricFamily<Gauge> {
    family(name, help, "gauge", labels, { Gauge() }) { exposition, series in
      exposition.sample(name, series.labels, series.metric.value.description)
    }
  }

  /// Declares a gauge that is read when the text is made; `nil` leaves it out.
  public func gauge(
    _ name: String, _ help: String, reading read: @escaping @Sendable () -> Double?
  ) {
    register(name) { exposition in
      guard let value = read() else { return }
      exposition.header(name, help, type: "gauge")
      exposition.sample(name, "", Exposition.number(value))
    }
  }

  /// Declares a histogram.
  ///
  /// - Parameters:
  ///   - bounds: ascending, in the unit in which numbers are observed.
  ///   - unitsPerOne: how many of that unit make one in the exposition: 1,000,000 for microseconds.
  public func histogram(
    _ name: String, _ help: String, labels: [MetricLabel] = [], bounds: [Int], unitsPerOne: Int = 1
  ) -> MetricFamily<Histogram> {
    precondition(zip(bounds, bounds.dropFirst()).allSatisfy(<), "\(name): bounds ascend")
    let scale = Double(unitsPerOne)
    let written = bounds.map { Exposition.number(Double($0) / scale) } + ["+Inf"]
    let make = { @Sendable in Histogram(bounds: bounds, unitsPerOne: unitsPerOne) }
    return family(name, help, "histogram", labels, make) { exposition, series in
      exposition.histogram(name, series.labels, bounds: written, series.metric)
    }
  }

  private func family<Metric>(
    _ name: String, _ help: String, _ type: String, _ labels: [MetricLabel],
    _ make: @escaping @Sendable () -> Metric,
    _ write: @escaping @Sendable (inout Exposition, MetricFamily<Metric>.Series) -> Void
  ) -> MetricFamily<Metric> {
    let family = MetricFamily(name: name, labels: labels, make: make)
    register(name) { exposition in
      exposition.header(name, help, type: type)
      for series in family.series { write(&exposition, series) }
    }
    return family
  }

  /// The text exposition format 0.0.4 of all metrics, sorted by name.
  public func render() -> [UInt8] {
    let families = families.withLock { $0 }
    var exposition = Exposition()
    for (_, render) in families.sorted(by: { $0.key < $1.key }) { render(&exposition) }
    return exposition.bytes
  }

  private func register(_ name: String, _ render: @escaping @Sendable (inout Exposition) -> Void) {
    families.withLock { families in
      precondition(families.updateValue(render, forKey: name) == nil, "\(name) is declared twice")
    }
  }
}
