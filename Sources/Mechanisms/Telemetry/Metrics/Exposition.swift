/// Writes the Prometheus text exposition format, version 0.0.4
/// (prometheus.io/docs/instrumenting/exposition_formats).
struct Exposition {
  private(set) var bytes: [UInt8] = []

  mutating func header(_ name: String, _ help: String, type: String) {
    append("# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) \(type)\n")
  }

  /// - Parameter labels: As ``pairs(_:)`` writes them; empty without labels.
  mutating func sample(_ name: String, _ labels: String, _ value: String) {
    append(name)
    if !labels.isEmpty { append("{", labels, "}") }
    append(" ", value, "\n")
  }

  /// The cumulative buckets up to `+Inf`, the sum and the count.
  /// - Parameter bounds: The bounds of the buckets as they are written, `+Inf` the last.
  mutating func histogram(
    _ name: String, _ labels: String, bounds: [String], _ histogram: Histogram
  ) {
    let snapshot = histogram.snapshot
    let others = labels.isEmpty ? "" : labels + ","
    var count = 0
    for (bound, inBucket) in zip(bounds, snapshot.counts) {
      count += inBucket
      append(name, "_bucket{", others, "le=\"", bound, "\"} ", String(count), "\n")
    }
    let sum = Double(snapshot.sum) / Double(histogram.unitsPerOne)
    sample(name + "_sum", labels, Self.number(sum))
    sample(name + "_count", labels, String(count))
  }

  /// A whole number without a fraction, any other in its shortest exact form.
  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    return Int(exactly: value).map(String.init) ?? value.description
  }

  /// Labels with their values: `operation="getHealth",status="2xx"`. They are written once for each
  /// series: an exposition has thousands of lines.
  static func pairs(_ labels: some Sequence<(MetricLabel, String)>) -> String {
    labels.map { "\($0.name)=\"\(escaped($1, quotes: true))\"" }.joined(separator: ",")
  }

  /// A text as it stands in a help, or between quotation marks.
  private static func escaped(_ text: String, quotes: Bool = false) -> String {
    text.unicodeScalars.reduce(into: "") { escaped, character in
      switch character {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(character)
      }
    }
  }

  private mutating func append(_ texts: String...) {
    for text in texts { bytes.append(contentsOf: text.utf8) }
  }
}
