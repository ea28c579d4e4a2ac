internal import Glibc

/// P6: the smallest answer on one loop, beside nginx with one worker.
enum Health {
  private static let seconds = 5

  static func row(_ plan: Plan) throws(Fault) -> Row {
    let directory = try WorkDirectory("health")
    let service = try Service.start(in: directory, loops: 1)
    defer { service.stop() }
    let nginx = try Nginx.start(in: directory)
    defer { nginx.child.stop() }
    let bound = try Bound.start(.http, answer: try answer(service), in: directory)
    defer { bound.stop() }
    func load(_ port: Int, _ process: pid_t) throws(Fault) -> LoadResult {
      let wrk = Wrk(url: "http://127.0.0.1:\(port)/healthz", directory: directory)
      return try Measured(server: process).around { () throws(Fault) in
        try wrk.run(seconds: min(seconds, plan.seconds))
      }
    }
    let comparison = try Comparison(rounds: plan.rounds) { () throws(Fault) in
      try load(service.port, service.child.process)
    } reference: { () throws(Fault) in
      try load(nginx.port, nginx.worker)
    } bound: { () throws(Fault) in
      try load(bound.port, bound.child.process)
    }
    return comparison.row(
      "P6", "GET /healthz, one loop", reference: "nginx, one worker",
      .ratio(first: 0.6, goal: 0.9))
  }

  private static func answer(_ service: Service) throws(Fault) -> String {
    let connection = try HTTPConnection(port: service.port)
    defer { connection.close() }
    return try connection.send("GET", "/healthz").text
  }
}
