internal import Foundation

/// P4, P5 and the last row of P7: rendering for a million devices, beside `COPY` of the same
/// columns.
enum Audiences {
  static let installations = 1_000_000

  static func rows(_ stage: Stage, _ plan: Plan) throws(Fault) -> [Row] {
    let process = stage.service.child.process
    // What the first rendering brings into memory is the program and not the audience. A service
    // that gave its program's pages back while it was idle counts them there.
    for shape in ["groups", "requests"] {
      _ = try timed(
        try command(stage, shape, to: #"{"filter":{"user":"u00000001"}}"#, output: "/dev/null"),
        stage)
    }
    try ProcessFigures.forgetPeak(process)
    let before = try ProcessFigures.residentMebibytes(process)
    var rows: [Row] = []
    if plan.rows.contains("P4") {
      rows.append(
        try comparison(stage, plan, "groups").row(
          "P4", "NDJSON render of all, groups", reference: "psql COPY",
          .ratio(first: 0.4, goal: 0.8)))
    }
    if plan.rows.contains("P5") {
      rows.append(
        try comparison(stage, plan, "requests").row(
          "P5", "NDJSON render of all, requests", reference: "psql COPY",
          .ratio(first: 0.15, goal: 0.4)))
    }
    let peak = try ProcessFigures.peakMebibytes(process)
    rows.append(
      Row(
        name: "P7 audience", what: "added by rendering for 1,000,000 devices", value: peak - before,
        unit: "MiB", bar: .most(first: 32, goal: 16)))
    return rows
  }

  private static func comparison(
    _ stage: Stage, _ plan: Plan, _ shape: String
  ) throws(Fault) -> Comparison {
    try check(stage, shape)
    return try Comparison(rounds: plan.rounds) { () throws(Fault) in
      try stage.measure { () throws(Fault) in
        try timed(try command(stage, shape, output: "/dev/null"), stage)
      }
    } reference: { () throws(Fault) in
      try stage.measure { () throws(Fault) in try timed(copy(stage), stage) }
    } bound: { () throws(Fault) in
      try stage.measure { () throws(Fault) in try timed(Bound.cursor(stage), stage) }
    }
  }

  /// Reads the columns that a rendering needs of each device.
  static func copy(_ stage: Stage) -> [String] {
    [Tool.postgres("psql"), "-Xq", "-o", "/dev/null"] + stage.database.options
      + ["-v", "app=\(stage.app)", "-f", "bench/copy.sql", "postilion"]
  }

  /// One run is a whole audience.
  static func timed(
    _ command: [String], _ stage: Stage
  ) throws(Fault) -> (LoadResult, cpuSeconds: Double) {
    let started = now()
    let result = try Tool.run(command, seconds: 120, in: stage.directory)
    let load = LoadResult(operations: Double(installations), seconds: now() - started)
    return (load, result.cpuSeconds)
  }

  /// The summary at the end is the proof that everyone was rendered.
  private static func check(_ stage: Stage, _ shape: String) throws(Fault) {
    let file = stage.directory.file("audience.ndjson")
    _ = try Tool.run(try command(stage, shape, output: file), seconds: 120, in: stage.directory)
    let last = try Tool.run(["tail", "-n", "1", file], seconds: 10, in: stage.directory).output
    unlink(file)
    guard last.hasPrefix("{\"summary\":{"), last.contains("\"rendered\":\(try reached(stage)),")
    else {
      throw Fault("the last line is \(last.prefix(200))")
    }
  }

  /// How many installations have a token, and so are rendered for.
  static func reached(_ stage: Stage) throws(Fault) -> String {
    try stage.database.query(
      "SELECT count(apns_token) FROM installation WHERE app_id = \(stage.app)")
  }

  private static func command(
    _ stage: Stage, _ shape: String, to: String = #"{"all":true}"#, output: String
  ) throws(Fault) -> [String] {
    let request = try contents("bench/audience.json").replacing("SHAPE", with: shape)
    return [
      "curl", "-sS", "--fail", "-o", output, "-H", "Authorization: Bearer \(stage.senderKey)", "-H",
      "Content-Type: application/json", "--data-binary", request.replacing("AUDIENCE", with: to),
      "\(stage.service.url)\(Stage.path)/render",
    ]
  }
}
