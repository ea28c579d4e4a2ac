internal import Foundation

/// P3: rendering for one installation, beside pgbench reading the same columns.
enum Renders {
  static func single(_ stage: Stage, _ plan: Plan) throws(Fault) -> Row {
    let bound = try bound(stage)
    defer { bound.stop() }
    let comparison = try Comparison(rounds: plan.rounds) { () throws(Fault) in
      try load(stage, seconds: plan.seconds)
    } reference: { () throws(Fault) in
      try selects(stage, plan)
    } bound: { () throws(Fault) in
      try load(stage, seconds: plan.seconds, at: bound.target)
    }
    return comparison.row(
      "P3", "POST render, one installation", reference: "pgbench select",
      .ratio(first: 0.4, goal: 0.7))
  }

  /// The bare mechanisms, with the answer that the service gives.
  static func bound(_ stage: Stage) throws(Fault) -> Bound {
    try Bound.start(.select, answer: try answer(stage), of: stage, in: stage.directory)
  }

  /// Reads of the same columns by pgbench.
  /// - Parameter rate: How many a second, at times that do not depend on the answers; `nil` for as
  ///   many as there can be.
  static func selects(
    _ stage: Stage, _ plan: Plan, rate: Double? = nil
  ) throws(Fault) -> LoadResult {
    let pgbench = Pgbench(
      database: stage.database, script: "select.sql",
      variables: ["app": stage.app, "first": 1, "last": Stage.unchanged.upperBound],
      directory: stage.directory)
    return try stage.measure { () throws(Fault) in
      try pgbench.run(seconds: plan.seconds, rate: rate)
    }
  }

  /// Renders by wrk, as fast as they are answered.
  /// - Parameters:
  ///   - last: The last number of the installations.
  ///   - target: Who takes them instead of the service.
  static func load(
    _ stage: Stage, last: Int = Stage.unchanged.upperBound, seconds: Int, at target: Target? = nil
  ) throws(Fault) -> LoadResult {
    let wrk = Wrk(
      url: target?.url ?? stage.service.url, script: "render.lua",
      arguments: ["\(Stage.path)/render", stage.senderKey, "\(last)", stage.reports],
      directory: stage.directory)
    return try stage.measure(target) { () throws(Fault) in
      try wrk.run(seconds: seconds)
    }
  }

  /// The answer for one that speaks German; its text is the proof that the whole way is measured.
  private static func answer(_ stage: Stage) throws(Fault) -> String {
    let connection = try HTTPConnection(port: stage.service.port)
    defer { connection.close() }
    let body = try contents("bench/render.json")
    let answer = try connection.send(
      "POST", "\(Stage.path)/render", key: stage.senderKey,
      body: body.replacing("INSTALLATION", with: Spelling.seededID(Profiles.german)))
    guard answer.status == 200, answer.body.contains("Ana, deine Bestellung A17") else {
      throw Fault("render answers \(answer.status) \(answer.body.prefix(200))")
    }
    return answer.text
  }
}
