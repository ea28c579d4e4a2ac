/// P9: registrations, renders and a filtered page of the list beside themselves at 10,000
/// installations, in turns, each of a service with a database of its own.
enum Growth {
  private static let small = 10_000
  /// Registrations of what is there, so that no database grows meanwhile.
  private static let mode = "rotated"
  /// Of each run, at most.
  private static let seconds = 3
  /// Keys are spelled alike in all languages up to 2²¹, and so many are in no cache of a processor.
  private static let numbers = 2_000_000

  /// Compares stages of sizes that are started here, and one that runs already.
  static func rows(_ sizes: [Int], _ large: Stage, _ plan: Plan) throws(Fault) -> [Row] {
    let base = try Stage.start(installations: small, large.profiles, "growth")
    defer { base.stop() }
    var rows: [Row] = []
    for size in sizes {
      let stage = try Stage.start(installations: size, large.profiles, "growth")
      defer { stage.stop() }
      rows += try compare(stage, base, plan)
    }
    return try rows + compare(large, base, plan)
  }

  private static func compare(
    _ stage: Stage, _ base: Stage, _ plan: Plan
  ) throws(Fault) -> [Row] {
    let seconds = min(seconds, plan.seconds)
    func row(
      _ what: String, _ load: (Stage) throws(Fault) -> LoadResult
    ) throws(Fault) -> Row {
      let comparison = try Comparison(rounds: plan.rounds) { () throws(Fault) in
        try load(stage)
      } reference: { () throws(Fault) in
        try load(base)
      }
      return comparison.row(
        "P9 \(Double(stage.count) / 1e6) M", what, reference: "at 10 k",
        .ratio(first: 0.7, goal: 0.9))
    }
    return [
      try row("PUT changed") { stage throws(Fault) in
        try Registrations.load(
          stage, mode, 1...min(stage.count, numbers), seconds: seconds)
      },
      try row("POST render") { stage throws(Fault) in
        try Renders.load(stage, last: min(stage.count, numbers), seconds: seconds)
      },
      try row("GET page, filtered") { stage throws(Fault) in
        let wrk = Wrk(
          url: stage.service.url, script: "page.lua",
          arguments: [
            "\(Stage.path)/installations?language=sv&status=active&limit=50", Service.rootKey,
          ], directory: stage.directory)
        return try stage.measure { () throws(Fault) in try wrk.run(seconds: seconds) }
      },
    ]
  }
}
