internal import Foundation

/// P3: rendering for one installation, beside pgbench reading the same columns.
enum Renders {
  static func single(_ stage: Stage, _ plan: Plan) throws(Fault) -> Row {
    try check(stage)
    let comparison = try Comparison(rounds: plan.rounds) { () throws(Fault) in
      let wrk = Wrk(
        url: stage.service.url, script: "render.lua",
        arguments: ["\(Stage.path)/render", stage.senderKey, "\(Stage.unchanged.upperBound)"],
        directory: stage.directory)
      return try stage.measure { () throws(Fault) in try wrk.run(seconds: plan.seconds) }
    } reference: { () throws(Fault) in
      let pgbench = Pgbench(
        database: stage.database, script: "select.sql",
        variables: ["app": stage.app, "first": 1, "last": Stage.unchanged.upperBound],
        directory: stage.directory)
      return try stage.measure { () throws(Fault) in try pgbench.run(seconds: plan.seconds) }
    }
    return comparison.row(
      "P3", "POST render, one installation", reference: "pgbench select",
      .ratio(first: 0.4, goal: 0.7))
  }

  /// Number 1 speaks German; its text is the proof that the whole way is measured.
  private static func check(_ stage: Stage) throws(Fault) {
    let connection = try HTTPConnection(port: stage.service.port)
    defer { connection.close() }
    let id = try stage.database.query(
      "SELECT installation_id FROM installation WHERE user_id = 'u00000001'")
    guard let body = try? String(contentsOfFile: "bench/render.json", encoding: .utf8) else {
      throw Fault("cannot read bench/render.json")
    }
    let answer = try connection.send(
      "POST", "\(Stage.path)/render", key: stage.senderKey,
      body: body.replacing("INSTALLATION", with: id))
    guard answer.status == 200, answer.body.contains("Ana, deine Bestellung A17") else {
      throw Fault("render answers \(answer.status) \(answer.body.prefix(200))")
    }
  }
}
