/// A load and its reference, taken in turns so that both meet the same noise.
struct Comparison: Sendable {
  let values: [LoadResult]
  let references: [LoadResult]

  /// Runs both so often.
  init(
    rounds: Int, _ load: () throws(Fault) -> LoadResult, reference: () throws(Fault) -> LoadResult
  ) throws(Fault) {
    var values: [LoadResult] = []
    var references: [LoadResult] = []
    for _ in 0..<rounds {
      values.append(try load())
      references.append(try reference())
    }
    self.values = values
    self.references = references
  }

  /// The row of operations per second.
  func row(_ name: String, _ what: String, reference: String, _ bar: Bar) -> Row {
    let value = median(values.map(\.perSecond))
    let referenceValue = median(references.map(\.perSecond))
    var row = Row(
      name: name, what: what, value: value, unit: "/s", reference: reference,
      referenceValue: referenceValue, bar: bar)
    row.p50Milliseconds = median(values.compactMap(\.p50Microseconds)) / 1000
    row.p99Milliseconds = median(values.compactMap(\.p99Microseconds)) / 1000
    row.cpuMicroseconds = Self.share(values)
    row.referenceCPUMicroseconds = Self.share(references)
    row.othersShare = median((values + references).map(\.othersShare))
    return row
  }

  private static func share(_ results: [LoadResult]) -> CPUShare {
    CPUShare(
      server: median(results.map(\.cpu.server)), database: median(results.map(\.cpu.database)),
      load: median(results.map(\.cpu.load)))
  }
}

/// The middle one, or the mean of the two in the middle.
func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  guard !sorted.isEmpty else { return 0 }
  let middle = sorted.count / 2
  return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
