/// Writes the Prometheus text exposition format, version 0.0.4
/// (prometheus.io/docs/instrumenting/exposition_formats).
struct Exposition {
  private(set) var bytes: [UInt8] = []

  mutating func header(_ name: String, _ help: String, type: String) {
    let escaped = help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    append("# HELP \(name) \(escaped)\n# TYPE \(name) \(type)\n")
  }

  mutating func sample(
    _ name: String, _ labels: some Sequence<(MetricLabel, String)>, _ value: String
  ) {
    append(name)
    append(Self.labelSet(labels.map { ($0.name, $1) }))
    append(" \(value)\n")
  }

  /// The cumulative buckets up to `+Inf`, the sum and the count.
  mutating func histogram(
    _ name: String, _ labels: [(MetricLabel, String)], _ histogram: Histogram
  ) {
    let snapshot = histogram.snapshot
    let own = labels.map { ($0.name, $1) }
    let scale = Double(histogram.unitsPerOne)
    let bounds = histogram.bounds.map { Self.number(Double($0) / scale) } + ["+Inf"]
    var count = 0
    for (bound, inBucket) in zip(bounds, snapshot.counts) {
      count += inBucket
      append("\(name)_bucket\(Self.labelSet(own + [("le", bound)])) \(count)\n")
    }
    let set = Self.labelSet(own)
    append("\(name)_sum\(set) \(Self.number(Double(snapshot.sum) / scale))\n")
    append("\(name)_count\(set) \(count)\n")
  }

  /// A whole number without a fraction, any other in its shortest exact form.
  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    return Int(exactly: value).map(String.init) ?? value.description
  }

  private static func labelSet(_ labels: [(name: String, value: String)]) -> String {
    guard !labels.isEmpty else { return "" }
    let pairs = labels.map { name, value in
      let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        .replacing("\n", with: "\\n")
      return "\(name)=\"\(escaped)\""
    }
    return "{\(pairs.joined(separator: ","))}"
  }

  private mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }
}
