/// A load, its reference and its physical bound, taken in turns so that all meet the same noise.
struct Comparison: Sendable {
  let values: [LoadResult]
  let references: [LoadResult]
  let bounds: [LoadResult]

  /// Runs all of them so often.
  init(
    rounds: Int, _ load: () throws(Fault) -> LoadResult,
    reference: () throws(Fault) -> LoadResult,
    bound: (() throws(Fault) -> LoadResult)? = nil
  ) throws(Fault) {
    var values: [LoadResult] = []
    var references: [LoadResult] = []
    var bounds: [LoadResult] = []
    for _ in 0..<rounds {
      values.append(try load())
      references.append(try reference())
      if let bound { bounds.append(try bound()) }
    }
    self.values = values
    self.references = references
    self.bounds = bounds
  }

  /// The row of operations per second.
  func row(_ name: String, _ what: String, reference: String, _ bar: Bar) -> Row {
    let value = median(values.map(\.perSecond))
    let referenceValue = median(references.map(\.perSecond))
    var row = Row(
      name: name, what: what, value: value, unit: "/s", reference: reference,
      referenceValue: referenceValue, bar: bar)
    row.rounds = zip(values, references).map { $0.perSecond / $1.perSecond }
    row.p50Milliseconds = Self.milliseconds(values, \.p50Microseconds)
    row.p99Milliseconds = Self.milliseconds(values, \.p99Microseconds)
    row.p999Milliseconds = Self.milliseconds(values, \.p999Microseconds)
    row.referenceP50Milliseconds = Self.milliseconds(references, \.p50Microseconds)
    row.referenceP99Milliseconds = Self.milliseconds(references, \.p99Microseconds)
    row.cpuMicroseconds = CPUShare(medianOf: values)
    row.referenceCPUMicroseconds = CPUShare(medianOf: references)
    if !bounds.isEmpty {
      row.boundValue = median(bounds.map(\.perSecond))
      row.boundCPUMicroseconds = CPUShare(medianOf: bounds)
    }
    row.othersShare = median((values + references + bounds).map(\.othersShare))
    return row
  }
}

extension Comparison {
  /// Of the middle run; `nil` where no run tells it.
  private static func milliseconds(
    _ results: [LoadResult], _ figure: (LoadResult) -> Double?
  ) -> Double? {
    let figures = results.compactMap(figure)
    return figures.isEmpty ? nil : median(figures) / 1000
  }
}

extension CPUShare {
  /// What the middle run took.
  init(medianOf results: [LoadResult]) {
    server = median(results.map(\.cpu.server))
    database = median(results.map(\.cpu.database))
    load = median(results.map(\.cpu.load))
  }
}

/// The middle one, or the mean of the two in the middle.
func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  guard !sorted.isEmpty else { return 0 }
  let middle = sorted.count / 2
  return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
