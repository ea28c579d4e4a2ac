/// Single steps of the pure targets, without socket or database, by the clock.
enum Micro {
  static func rows() throws(Fault) -> [Row] {
    try Operation.all().map { operation throws(Fault) in
      let nanoseconds = try Timing.nanoseconds(operation.run)
      guard let bytes = operation.bytes else {
        return Row(
          name: "micro", what: operation.name, value: nanoseconds, unit: "ns",
          bar: operation.goal.map { .most(first: $0, goal: $0) } ?? .none)
      }
      return Row(
        name: "micro", what: operation.name, value: Double(bytes) * 1e3 / nanoseconds,
        unit: "MB/s", bar: operation.throughputGoal.map { .least($0) } ?? .none)
    }
  }
}
