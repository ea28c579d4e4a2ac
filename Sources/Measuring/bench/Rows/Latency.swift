/// How long registrations and renders take without saturation, and what they cost the processors
/// then: P1 and P3 at half of the highest rate, which is measured just before. Beside them are
/// their physical bounds, and the writes of P1 and the reads of P3 by pgbench, each at half of its
/// own highest rate.
enum Latency {
  /// The latency of 99 of 100, in milliseconds.
  private static let bar = Bar.most(first: 10, goal: 5)
  /// Batches are smaller than at full load, so that each request has more of what a batch costs.
  private static let costBar = Bar.mostRatio(first: 1.3, goal: 1.3)
  /// Of the run that finds the highest rate, at most.
  private static let fullSeconds = 4

  static func rows(_ stage: Stage, _ plan: Plan) throws(Fault) -> [Row] {
    let upsert = try Registrations.bound(.upsert, stage)
    defer { upsert.stop() }
    let select = try Renders.bound(stage)
    defer { select.stop() }
    let seconds = min(fullSeconds, plan.seconds)
    func registrations(
      _ name: String, _ what: String, at bound: Bound? = nil
    ) throws(Fault) -> [Row] {
      try rows(name, what, plan, hasBars: bound == nil) { () throws(Fault) in
        try Registrations.load(
          stage, "changed", Stage.changed, seconds: seconds, at: bound?.target)
      } half: { rate throws(Fault) in
        try arrivals(
          .changed, rate, "\(Stage.path)/installations/", Stage.changed, stage, plan, at: bound)
      }
    }
    func renders(
      _ name: String, _ what: String, at bound: Bound? = nil
    ) throws(Fault) -> [Row] {
      try rows(name, what, plan, hasBars: bound == nil) { () throws(Fault) in
        try Renders.load(stage, seconds: seconds, at: bound?.target)
      } half: { rate throws(Fault) in
        try arrivals(
          .render, rate, "\(Stage.path)/render", Stage.unchanged, stage, plan, at: bound)
      }
    }
    return try registrations("P1", "PUT new or changed")
      + registrations("P1 bound", "bound of PUT new or changed", at: upsert)
      + rows("pgbench", "pgbench upsert", plan, hasBars: false) { () throws(Fault) in
        try Registrations.upserts(stage, plan)
      } half: { rate throws(Fault) in
        try Registrations.upserts(stage, plan, rate: rate)
      }
      + renders("P3", "POST render")
      + renders("P3 bound", "bound of POST render", at: select)
      + rows("pgbench select", "pgbench select", plan, hasBars: false) { () throws(Fault) in
        try Renders.selects(stage, plan)
      } half: { rate throws(Fault) in
        try Renders.selects(stage, plan, rate: rate)
      }
  }

  /// Requests at fixed times.
  /// - Parameter bound: What takes them instead of the service.
  private static func arrivals(
    _ kind: Arrivals.Kind, _ perSecond: Double, _ path: String, _ numbers: ClosedRange<Int>,
    _ stage: Stage, _ plan: Plan, at bound: Bound?
  ) throws(Fault) -> LoadResult {
    let load = OpenLoop(
      kind: kind, port: bound?.port ?? stage.service.port, perSecond: perSecond, path: path,
      key: stage.senderKey, numbers: numbers, reports: stage.reports, directory: stage.directory)
    return try stage.measure(bound?.target) { () throws(Fault) in
      try load.run(seconds: plan.seconds)
    }
  }

  private static func rows(
    _ name: String, _ what: String, _ plan: Plan, hasBars: Bool,
    full: () throws(Fault) -> LoadResult,
    half: (Double) throws(Fault) -> LoadResult
  ) throws(Fault) -> [Row] {
    var fulls: [LoadResult] = []
    var halves: [LoadResult] = []
    for _ in 0..<plan.rounds {
      let most = try full()
      fulls.append(most)
      halves.append(try half(most.perSecond / 2))
    }
    func milliseconds(_ figure: (LoadResult) -> Double?) -> Double {
      median(halves.compactMap(figure)) / 1000
    }
    let rate = Int(median(halves.map(\.perSecond)))
    var latency = Row(
      name: "latency \(name)", what: "\(what) at \(rate)/s, half load: p99",
      value: milliseconds(\.p99Microseconds), unit: "ms", bar: hasBars ? bar : .none)
    latency.rounds = halves.compactMap(\.p99Microseconds).map { $0 / 1000 }
    latency.p50Milliseconds = milliseconds(\.p50Microseconds)
    latency.p99Milliseconds = milliseconds(\.p99Microseconds)
    latency.p999Milliseconds = milliseconds(\.p999Microseconds)
    if halves.contains(where: { $0.lagMicroseconds != nil }) {
      latency.lagMilliseconds = milliseconds(\.lagMicroseconds)
    }
    latency.othersShare = median(halves.map(\.othersShare))
    let (own, most) = (CPUShare(medianOf: halves), CPUShare(medianOf: fulls))
    var cost = Row(
      name: "latency \(name) CPU", what: "\(what): processor time at half load",
      value: own.served, unit: "µs", reference: "at full load", referenceValue: most.served,
      bar: hasBars ? costBar : .none)
    cost.rounds = zip(halves, fulls).map { $0.cpu.served / $1.cpu.served }
    cost.cpuMicroseconds = own
    cost.referenceCPUMicroseconds = most
    return [latency, cost]
  }
}
