/// P8: an import as NDJSON, beside `COPY FROM` of the rows that it made into the same table with
/// its indexes. The import also writes the ledger and the history of tokens, the reference does
/// not.
enum Imports {
  private static let records = 100_000
  /// Numbers that no seeded installation has.
  private static let first = 50_000_000

  static func row(_ stage: Stage, _ plan: Plan) throws(Fault) -> Row {
    let rows = stage.directory.file("rows.copy")
    var round = 0
    let comparison = try Comparison(rounds: plan.rounds) { () throws(Fault) in
      let numbers = (first + round * records)..<(first + (round + 1) * records)
      round += 1
      let lines = stage.directory.file("import.ndjson")
      try write(Self.lines(numbers, stage.profiles), to: lines)
      let result = try stage.measure { () throws(Fault) in
        try timed(command(stage, lines), stage) { output in
          output.contains("\"accepted\":\(records),")
        }
      }
      try stage.database.run(
        file: "bench/rows.sql",
        ["app": stage.app, "first": numbers.lowerBound, "last": numbers.upperBound - 1], rows)
      return result
    } reference: { () throws(Fault) in
      try stage.measure { () throws(Fault) in
        try timed(copy(stage, rows), stage) { _ in true }
      }
    }
    return comparison.row(
      "P8", "import of NDJSON", reference: "COPY FROM", .ratio(first: 0.3, goal: 0.7))
  }

  /// A record for each number, as the installations of a stage report.
  private static func lines(_ numbers: Range<Int>, _ profiles: Profiles) -> String {
    let formats = profiles.lines.map(ReportFormat.init)
    return numbers.map { number in
      let body = formats[number % formats.count].body(
        token: Spelling.seededToken(number), version: "3.2.0", user: number)
      return #"{"installation_id":"\#(Spelling.seededID(number))","# + body.dropFirst() + "\n"
    }
    .joined()
  }

  /// One run is all records.
  private static func timed(
    _ command: [String], _ stage: Stage, _ isComplete: (String) -> Bool
  ) throws(Fault) -> (LoadResult, cpuSeconds: Double) {
    let started = now()
    let result = try Tool.run(command, seconds: 120, in: stage.directory)
    let load = LoadResult(operations: Double(records), seconds: now() - started)
    guard isComplete(result.output.replacing(" ", with: "")) else {
      throw Fault("import: \(result.output.prefix(300))")
    }
    return (load, result.cpuSeconds)
  }

  private static func command(_ stage: Stage, _ file: String) -> [String] {
    [
      "curl", "-sS", "--fail-with-body", "-X", "POST", "-T", file, "-H",
      "Authorization: Bearer \(Service.rootKey)", "-H", "Content-Type: application/x-ndjson",
      "\(stage.service.url)\(Stage.path)/installations/import",
    ]
  }

  private static func copy(_ stage: Stage, _ file: String) -> [String] {
    [Tool.postgres("psql"), "-Xq"] + stage.database.options
      + ["-c", "\\copy installation FROM '\(file)'", "postilion"]
  }
}
