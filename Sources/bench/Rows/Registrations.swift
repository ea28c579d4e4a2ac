/// P1 and P2: `PUT` of installations, beside the same writes by pgbench.
enum Registrations {
  /// P1: half are new, half bring a new token and app version.
  static func changed(_ stage: Stage, _ plan: Plan) throws(Fault) -> Row {
    let before = try written(stage)
    var acknowledged = 0.0
    let comparison = try Comparison(rounds: plan.rounds) { () throws(Fault) in
      let result = try measure(stage, "changed", Stage.changed, plan)
      acknowledged += result.operations
      return result
    } reference: { () throws(Fault) in
      let result = try upserts(stage, plan)
      acknowledged += result.operations
      return result
    }
    // What was acknowledged is in the database.
    let rows = try written(stage) - before
    guard rows >= acknowledged else {
      throw Fault("\(acknowledged) writes were acknowledged, and \(rows) are in the database")
    }
    return comparison.row(
      "P1", "PUT new or changed", reference: "pgbench upsert", .ratio(first: 1.5, goal: 3))
  }

  /// P2: the report that is stored already, as at each launch of an app.
  static func unchanged(_ stage: Stage, _ plan: Plan) throws(Fault) -> Row {
    let comparison = try Comparison(rounds: plan.rounds) { () throws(Fault) in
      try measure(stage, "unchanged", Stage.unchanged, plan)
    } reference: { () throws(Fault) in
      try upserts(stage, plan)
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
      return try measure(stage, "changed", Stage.changed, plan)
    } reference: { () throws(Fault) in
      _ = try stage.database.query("\(column) DROP DEFAULT")
      return try measure(stage, "changed", Stage.changed, plan)
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

  private static func measure(
    _ stage: Stage, _ mode: String, _ numbers: ClosedRange<Int>, _ plan: Plan
  ) throws(Fault) -> LoadResult {
    let wrk = Wrk(
      url: stage.service.url, script: "put.lua",
      arguments: [
        mode, "\(Stage.path)/installations/", stage.senderKey, "\(numbers.lowerBound)",
        "\(numbers.upperBound)",
      ], directory: stage.directory)
    return try stage.measure { () throws(Fault) in try wrk.run(seconds: plan.seconds) }
  }

  private static func upserts(_ stage: Stage, _ plan: Plan) throws(Fault) -> LoadResult {
    let numbers = Stage.changed
    let pgbench = Pgbench(
      database: stage.database, script: "upsert.sql",
      variables: [
        "app": stage.app, "first": numbers.lowerBound, "last": numbers.upperBound,
      ], directory: stage.directory)
    return try stage.measure { () throws(Fault) in try pgbench.run(seconds: plan.seconds) }
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
  func measure(
    _ load: () throws(Fault) -> (LoadResult, cpuSeconds: Double)
  ) throws(Fault) -> LoadResult {
    _ = try database.query("CHECKPOINT")
    let measured = Measured(
      server: service.child.process, postmaster: database.postmaster.process)
    return try measured.around(load)
  }
}
