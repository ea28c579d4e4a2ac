internal import Foundation

/// The same calls of other ways to write such a service, beside ours in the same run.
enum Rivals {
  /// FastAPI with asyncpg on uvicorn, with uvloop and httptools, one process for each processor;
  /// and the programs that the command line names.
  static func rows(_ stage: Stage, _ plan: Plan) throws(Fault) -> [Row] {
    let uvicorn = ".build/rivals/bin/uvicorn"
    guard access(uvicorn, X_OK) == 0 else {
      throw Fault("there is no \(uvicorn); make bench ROWS=rivals installs it")
    }
    let port = try Socket.freePort()
    let fastAPI = [
      uvicorn, "--app-dir", "bench/rivals", "--host", "127.0.0.1", "--port", "\(port)",
      "--workers", "\(sysconf(Int32(_SC_NPROCESSORS_ONLN)))", "--loop", "uvloop", "--http",
      "httptools", "--no-access-log", "--log-level", "warning", "fastapi_service:app",
    ]
    var rows = try rows(of: "FastAPI", fastAPI, port: port, stage, plan)
    for rival in plan.rivals {
      rows += try Self.rows(
        of: rival.name, [rival.program], port: try Socket.freePort(), stage, plan)
    }
    return rows
  }

  private static func rows(
    of rivalName: String, _ command: [String], port: Int, _ stage: Stage, _ plan: Plan
  ) throws(Fault) -> [Row] {
    let child = try Child.start(
      command,
      environment: [
        "PORT": "\(port)", "BENCH_SOCKET": stage.database.postmaster.socketDirectory,
        "BENCH_APP": "\(stage.app)", "BENCH_PROFILES": "\(stage.profiles.count)",
      ], output: stage.directory.file("rivals.log"))
    defer { child.stop() }
    try waitUntilReady(rivalName, child, port)
    let rival = Target(
      url: "http://127.0.0.1:\(port)", process: child.process, hasWorkers: true)
    func row(
      _ name: String, _ what: String, _ load: (Target?) throws(Fault) -> LoadResult
    ) throws(Fault) -> Row {
      let comparison = try Comparison(rounds: plan.rounds) { () throws(Fault) in
        try load(rival)
      } reference: { () throws(Fault) in
        try load(nil)
      }
      return comparison.row(
        "rivals \(name)", "\(rivalName): \(what)", reference: "ours", .none)
    }
    let seconds = plan.seconds
    var rows = [
      try row("P1", "PUT new or changed") { target throws(Fault) in
        try Registrations.load(stage, "changed", Stage.changed, seconds: seconds, at: target)
      },
      try row("P2", "PUT unchanged") { target throws(Fault) in
        try Registrations.load(stage, "unchanged", Stage.unchanged, seconds: seconds, at: target)
      },
      try row("P3", "POST render") { target throws(Fault) in
        try Renders.load(stage, seconds: seconds, at: target)
      },
      try row("P6", "GET /healthz") { target throws(Fault) in
        let wrk = Wrk(
          url: "\(target?.url ?? stage.service.url)/healthz", directory: stage.directory)
        return try stage.measure(target) { () throws(Fault) in try wrk.run(seconds: seconds) }
      },
    ]
    var memory = 0.0
    for process in [child.process] + ProcessFigures.children(child.process) {
      memory += try ProcessFigures.residentMebibytes(process)
    }
    rows.append(
      Row(
        name: "rivals P7", what: "\(rivalName): resident memory behind the loads",
        value: memory, unit: "MiB", reference: "ours",
        referenceValue: try ProcessFigures.residentMebibytes(stage.service.child.process),
        bar: .none))
    return rows
  }

  private static func waitUntilReady(
    _ name: String, _ child: Child, _ port: Int
  ) throws(Fault) {
    let deadline = now() + 20
    while now() < deadline {
      if let connection = try? HTTPConnection(port: port) {
        defer { connection.close() }
        if let answer = try? connection.send("GET", "/healthz"), answer.status == 200 { return }
      }
      usleep(50_000)
    }
    throw Fault("\(name) does not answer: \(try contents(child.output).suffix(300))")
  }
}
