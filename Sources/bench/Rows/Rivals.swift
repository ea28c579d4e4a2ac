internal import Foundation

/// The same calls of another way to write such a service, beside ours in the same run: FastAPI with
/// asyncpg on uvicorn, with uvloop and httptools, one process for each processor.
enum Rivals {
  private static let program = ".build/rivals/bin/uvicorn"

  static func rows(_ stage: Stage, _ plan: Plan) throws(Fault) -> [Row] {
    guard access(program, X_OK) == 0 else {
      throw Fault("there is no \(program); make bench ROWS=rivals installs it")
    }
    let port = try Socket.freePort()
    let child = try Child.start(
      [
        program, "--app-dir", "bench/rivals", "--host", "127.0.0.1", "--port", "\(port)",
        "--workers", "\(sysconf(Int32(_SC_NPROCESSORS_ONLN)))", "--loop", "uvloop", "--http",
        "httptools", "--no-access-log", "--log-level", "warning", "fastapi_service:app",
      ],
      environment: [
        "BENCH_SOCKET": stage.database.postmaster.socketDirectory, "BENCH_APP": "\(stage.app)",
        "BENCH_PROFILES": "\(Profiles.count)",
      ], output: stage.directory.file("rivals.log"))
    defer { child.stop() }
    try waitUntilReady(child, port)
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
      return comparison.row("rivals \(name)", "FastAPI: \(what)", reference: "ours", .none)
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
    for process in ProcessFigures.children(child.process) {
      memory += try ProcessFigures.residentMebibytes(process)
    }
    rows.append(
      Row(
        name: "rivals P7", what: "FastAPI: resident memory behind the loads", value: memory,
        unit: "MiB", reference: "ours",
        referenceValue: try ProcessFigures.residentMebibytes(stage.service.child.process),
        bar: .none))
    return rows
  }

  private static func waitUntilReady(_ child: Child, _ port: Int) throws(Fault) {
    let deadline = now() + 20
    while now() < deadline {
      if let connection = try? HTTPConnection(port: port) {
        defer { connection.close() }
        if let answer = try? connection.send("GET", "/healthz"), answer.status == 200 { return }
      }
      usleep(50_000)
    }
    throw Fault("FastAPI does not answer: \(try contents(child.output).suffix(300))")
  }
}
