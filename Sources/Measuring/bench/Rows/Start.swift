/// P10: from the start of the process to its ready line.
enum Start {
  static func rows(_ plan: Plan) throws(Fault) -> [Row] {
    var first: [Double] = []
    var existing: [Double] = []
    for round in 0..<plan.rounds {
      let directory = try WorkDirectory("start-\(round)")
      for isFirst in [true, false] {
        let service = try Service.start(in: directory)
        service.stop()
        if isFirst {
          first.append(service.secondsToReady)
        } else {
          existing.append(service.secondsToReady)
        }
      }
    }
    return [
      Row(
        name: "P10 existing", what: "start to ready, existing database", value: median(existing),
        unit: "s", bar: .most(first: 0.3, goal: 0.15)),
      Row(
        name: "P10 first", what: "start to ready, very first", value: median(first), unit: "s",
        bar: .most(first: 3, goal: 1.5)),
    ]
  }
}
