internal import Foundation

/// P11: rendering for a million recipients with words of their own in one call, beside `COPY` of
/// the same columns.
enum Recipients {
  static func rows(_ stage: Stage, _ plan: Plan) throws(Fault) -> [Row] {
    let body = stage.directory.file("recipients.ndjson")
    try write(stage, to: body)
    let process = stage.service.child.process
    try ProcessFigures.forgetPeak(process)
    let before = try ProcessFigures.residentMebibytes(process)
    try check(stage, body)
    let comparison = try Comparison(rounds: plan.rounds) { () throws(Fault) in
      try stage.measure { () throws(Fault) in
        try timed(command(stage, body, output: "/dev/null"), stage)
      }
    } reference: { () throws(Fault) in
      try stage.measure { () throws(Fault) in try timed(Audiences.copy(stage), stage) }
    }
    let peak = try ProcessFigures.peakMebibytes(process)
    return [
      comparison.row(
        "P11", "NDJSON render of recipients", reference: "psql COPY",
        .ratio(first: 0.15, goal: 0.3)),
      Row(
        name: "P7 recipients", what: "added by rendering for 1,000,000 recipients",
        value: peak - before, unit: "MiB", bar: .most(first: 32, goal: 16)),
    ]
  }

  /// The message, and a line for each installation.
  private static func write(_ stage: Stage, to file: String) throws(Fault) {
    let lines = stage.directory.file("lines.ndjson")
    _ = try Tool.run(
      [Tool.postgres("psql"), "-Xq", "-o", lines] + stage.database.options
        + ["-v", "app=\(stage.app)", "-f", "bench/recipients.sql", "postilion"],
      seconds: 120, in: stage.directory)
    _ = try Tool.run(
      ["sh", "-c", "cat bench/recipients.json '\(lines)' > '\(file)' && rm '\(lines)'"],
      seconds: 60, in: stage.directory)
  }

  /// One run is all recipients.
  private static func timed(
    _ command: [String], _ stage: Stage
  ) throws(Fault) -> (LoadResult, cpuSeconds: Double) {
    try Audiences.timed(command, stage)
  }

  /// The summary at the end is the proof that everyone was rendered.
  private static func check(_ stage: Stage, _ body: String) throws(Fault) {
    let file = stage.directory.file("answer.ndjson")
    _ = try Tool.run(command(stage, body, output: file), seconds: 120, in: stage.directory)
    defer { unlink(file) }
    let last = try Tool.run(["tail", "-n", "1", file], seconds: 10, in: stage.directory).output
    let all = "\"recipients\":\(Audiences.installations),\"failed\":0,"
    guard last.hasPrefix("{\"summary\":{\(all)"),
      last.contains("\"rendered\":\(try Audiences.reached(stage)),")
    else {
      throw Fault("the last line is \(last.prefix(200))")
    }
  }

  private static func command(_ stage: Stage, _ body: String, output: String) -> [String] {
    [
      "curl", "-sS", "--fail", "-o", output, "-H", "Authorization: Bearer \(stage.senderKey)", "-H",
      "Content-Type: application/x-ndjson", "-X", "POST", "-T", body,
      "\(stage.service.url)\(Stage.path)/render",
    ]
  }
}
