import Foundation
import Telemetry
import TestSupport
import Testing

@Suite struct MetricsTests {
  private func text(_ registry: MetricsRegistry) -> String {
    String(decoding: registry.render(), as: UTF8.self)
  }

  @Test func expositionOfEveryKind() throws {
    let registry = MetricsRegistry()
    let requests = registry.counter(
      "http_requests_total", "Requests answered, by \\ and\nline.",
      labels: [
        MetricLabel("method", ["GET", "POST"]), MetricLabel("route", ["/healthz", "/a\"b\\c\nd"]),
      ])
    requests.child("POST", "/healthz").increment(by: 3)
    requests.child("GET", "/a\"b\\c\nd").increment()
    requests.child("BREW", "/coffee").increment()
    let connections = registry.gauge("connections", "Open connections.")
    connections.child().set(7)
    connections.child().add(-2)
    registry.gauge("build_age_seconds", "A number that is read.", reading: { 1.5 })
    registry.counter("lines_dropped_total", "A count that is read.", reading: { 3 })
    registry.gauge("absent", "A number that cannot be read.", reading: { nil })
    let durations = registry.histogram(
      "http_request_duration_seconds", "Time to answer.",
      labels: [MetricLabel("method", ["GET"])], bounds: [100, 2_500, 1_000_000],
      unitsPerOne: 1_000_000)
    for microseconds in [100, 101, 2_500, 900_000, 3_000_000] {
      durations.child("GET").observe(microseconds)
    }
    _ = registry.histogram("batch_rows", "Rows of a batch.", bounds: [1, 64])
    try Golden.check(text(registry), named: "Telemetry/exposition.txt")
  }

  @Test func unknownLabelValuesShareOneSeries() {
    let family = MetricsRegistry().counter("n", "n", labels: [MetricLabel("kind", ["apns"])])
    #expect(family.child("made up") === family.child("another"))
    #expect(family.child("apns") !== family.child("other"))
  }

  @Test func nothingIsLostBetweenThreads() async {
    let registry = MetricsRegistry()
    let counter = registry.counter("n_total", "n").child()
    let histogram = registry.histogram("h", "h", bounds: [10, 100]).child()
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for number in 0..<10_000 {
            counter.increment()
            histogram.observe(number % 200)
          }
        }
        group.addTask { _ = registry.render() }
      }
    }
    #expect(counter.value == 80_000)
    #expect(histogram.snapshot.counts.reduce(0, +) == 80_000)
    #expect(histogram.snapshot.sum == 8 * 50 * (0..<200).reduce(0, +))
  }

  @Test func theProcessReportsItself() throws {
    let registry = MetricsRegistry()
    registry.declareProcessMetrics()
    let samples = text(registry).split(separator: "\n").filter { !$0.hasPrefix("#") }
    let values = try samples.map { try #require(Double($0.split(separator: " ")[1])) }
    try #require(values.count == 3)
    #expect((3...10_000).contains(values[0]))
    #expect((1_000_000...100_000_000_000).contains(values[1]))
    #expect((1_000_000_000...Date().timeIntervalSince1970 + 60).contains(values[2]))
  }
}
