/// P1 and P2: `PUT` of installations, beside the same writes by pgbench.
enum Registrations {
  /// P1: half are new, half bring a new token and app version.
  static func changed(_ stage: Stage, _ plan: Plan) throws(Fault) -> [Row] {
    let bound = try bound(.upsert, stage)
    defer { bound.stop() }
    let before = try written(stage)
    var acknowledged = 0.0
    let comparison = try Comparison(rounds: plan.rounds) { () throws(Fault) in
      let result = try load(stage, "changed", Stage.changed, seconds: plan.seconds)
      acknowledged += result.operations
      return result
    } reference: { () throws(Fault) in
      let result = try upserts(stage, plan)
      acknowledged += result.operations
      return result
    } bound: { () throws(Fault) in
      let result = try load(
        stage, "changed", Stage.changed, seconds: plan.seconds, at: bound.target)
      acknowledged += result.operations
      return result
    }
    // What was acknowledged is in the database.
    let rows = try written(stage) - before
    guard rows >= acknowledged else {
      throw Fault("\(acknowledged) writes were acknowledged, and \(rows) are in the database")
    }
    let row = comparison.row(
      "P1", "PUT new or changed", reference: "pgbench upsert", .ratio(first: 1.5, goal: 3))
    return [row] + costs(comparison)
  }

  /// What one registration costs. The log has whole pages of what was not written since the
  /// checkpoint that is just before each run.
  private static func costs(_ comparison: Comparison) -> [Row] {
    let figures: [(String, String, (LoadResult) -> Double?)] = [
      ("write-ahead log of one PUT", "B", \.logBytes), ("growth on disk", "B", \.diskBytes),
      ("processor time, service and database", "µs", \.cpu.served),
    ]
    return figures.map { what, unit, figure in
      let isTime = unit == "µs"
      return Row(
        name: "cost", what: what, value: median(comparison.values.compactMap(figure)), unit: unit,
        reference: "pgbench upsert",
        // pgbench is to its database what the service is.
        referenceValue: median(
          comparison.references.compactMap { isTime ? $0.cpu.all : figure($0) }),
        bar: .none)
    }
  }

  /// P2: the report that is stored already, as at each launch of an app.
  static func unchanged(_ stage: Stage, _ plan: Plan) throws(Fault) -> Row {
    let bound = try bound(.select, stage)
    defer { bound.stop() }
    let comparison = try Comparison(rounds: plan.rounds) { () throws(Fault) in
      try load(stage, "unchanged", Stage.unchanged, seconds: plan.seconds)
    } reference: { () throws(Fault) in
      try upserts(stage, plan)
    } bound: { () throws(Fault) in
      try load(stage, "unchanged", Stage.unchanged, seconds: plan.seconds, at: bound.target)
    }
    let changed = try stage.database.query(
      """
      SELECT count(*) FROM installation WHERE app_id = \(stage.app) AND revision % 1048576 > 1
        AND user_id BETWEEN 'u00000001' AND 'u00100000'
      """)
    guard changed == "0" else { throw Fault("\(changed) reports were not taken as unchanged") }
    return comparison.row(
      "P2", "PUT unchanged", reference: "pgbench upsert", .ratio(first: 2, goal: 4))
  }

  /// What the feed of changes costs: P1 as it is, beside P1 whose changes are in no feed.
  static func feed(_ stage: Stage, _ plan: Plan) throws(Fault) -> Row {
    let column = "ALTER TABLE token_history ALTER COLUMN transaction_id"
    let comparison = try Comparison(rounds: plan.rounds) { () throws(Fault) in
      _ = try stage.database.query("\(column) SET DEFAULT pg_current_xact_id()")
      return try load(stage, "changed", Stage.changed, seconds: plan.seconds)
    } reference: { () throws(Fault) in
      _ = try stage.database.query("\(column) DROP DEFAULT")
      return try load(stage, "changed", Stage.changed, seconds: plan.seconds)
    }
    let changes = try stage.database.query(
      """
      SELECT count(*) FILTER (WHERE transaction_id IS NULL) > 0, count(transaction_id) > 0,
        (SELECT count(*) FROM app_history)
      FROM token_history
      """)
    guard changes == "t|t|0" else { throw Fault("what was in the feed: \(changes)") }
    return comparison.row(
      "feed", "PUT new or changed", reference: "without the feed", .ratio(first: 0.9, goal: 0.95))
  }

  /// Reports of seeded installations by wrk, as fast as they are taken.
  /// - Parameters:
  ///   - mode: What `bench/put.lua` calls them.
  ///   - target: Who takes them instead of the service.
  static func load(
    _ stage: Stage, _ mode: String, _ numbers: ClosedRange<Int>, seconds: Int,
    at target: Target? = nil
  ) throws(Fault) -> LoadResult {
    let wrk = Wrk(
      url: target?.url ?? stage.service.url, script: "put.lua",
      arguments: [
        mode, "\(Stage.path)/installations/", stage.senderKey, "\(numbers.lowerBound)",
        "\(numbers.upperBound)", stage.reports,
      ], directory: stage.directory)
    return try stage.measure(target) { () throws(Fault) in
      try wrk.run(seconds: seconds)
    }
  }

  /// The bare mechanisms, with the answer that the service gives to a report.
  static func bound(_ kind: Bound.Kind, _ stage: Stage) throws(Fault) -> Bound {
    let connection = try HTTPConnection(port: stage.service.port)
    defer { connection.close() }
    let number = Stage.unchanged.lowerBound
    let report = ReportFormat(stage.profiles.lines[number]).body(
      token: Spelling.seededToken(number), version: "3.2.0", user: number)
    let answer = try connection.send(
      "PUT", "\(Stage.path)/installations/\(Spelling.seededID(number))", key: stage.senderKey,
      body: report)
    guard answer.status == 200 else { throw Fault("PUT: \(answer.text)") }
    return try Bound.start(kind, answer: answer.text, of: stage, in: stage.directory)
  }

  /// The writes of P1 by pgbench.
  /// - Parameter rate: How many are due in a second; `nil` has them as fast as they go.
  static func upserts(
    _ stage: Stage, _ plan: Plan, rate: Double? = nil
  ) throws(Fault) -> LoadResult {
    let numbers = Stage.changed
    let pgbench = Pgbench(
      database: stage.database, script: "upsert.sql",
      variables: [
        "app": stage.app, "first": numbers.lowerBound, "last": numbers.upperBound,
        "profiles": stage.profiles.count,
      ], directory: stage.directory)
    return try stage.measure { () throws(Fault) in
      try pgbench.run(seconds: plan.seconds, rate: rate)
    }
  }

  /// Writes of installations so far: each adds one to a revision, whose first is a multiple of 2²⁰
  /// and one.
  private static func written(_ stage: Stage) throws(Fault) -> Double {
    let sum = try stage.database.query("SELECT sum(revision % 1048576) FROM installation")
    guard let sum = Double(sum) else { throw Fault("no sum of revisions: \(sum)") }
    return sum
  }
}

extension Stage {
  /// Measures a load from a clean start: what is dirty is written out before the clock starts.
  /// - Parameter target: Who takes it instead of the service.
  func measure(
    _ target: Target? = nil, _ load: () throws(Fault) -> (LoadResult, cpuSeconds: Double)
  ) throws(Fault) -> LoadResult {
    _ = try database.query("CHECKPOINT")
    let measured = Measured(
      server: target?.process ?? service.child.process,
      hasWorkers: target?.hasWorkers ?? false, postmaster: database.postmaster.process)
    let before = try database.bytesWritten()
    var result = try measured.around(load)
    let after = try database.bytesWritten()
    result.logBytes = (after.log - before.log) / result.operations
    result.diskBytes = (after.disk - before.disk) / result.operations
    return result
  }
}
