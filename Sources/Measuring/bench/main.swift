internal import Foundation

/// Writes a line to standard output at once, whoever reads it.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Ends the bench and everything that it started.
func end(_ status: Int32) -> Never {
  guard Child.stopAll() else {
    // The other thread is ending the bench.
    while true { sleep(1) }
  }
  WorkDirectory.removeAll()
  exit(status)
}

/// Waits in a thread of its own for a signal to stop, or for the time that no bench takes.
func watchSignals() {
  var signals = sigset_t()
  sigemptyset(&signals)
  for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
  pthread_sigmask(SIG_BLOCK, &signals, nil)
  let watched = signals
  Thread.detachNewThread {
    var signals = watched
    var limit = timespec(tv_sec: 7200, tv_nsec: 0)
    var signal: Int32
    // A bench that was held and goes on is not stopped.
    repeat { signal = sigtimedwait(&signals, nil, &limit) } while signal < 0 && errno == EINTR
    FileHandle.standardError.write(Data("bench: stopped\n".utf8))
    end(signal > 0 ? 128 + signal : 1)
  }
}

func measure(_ plan: Plan) -> Report {
  var report = Report()
  func tell(_ rows: [Row]) {
    report.add(rows)
    for row in rows { say("  \(Report.line(row))") }
  }
  func row(_ name: String, _ measure: () throws(Fault) -> [Row]) {
    guard plan.rows.contains(name) else { return }
    say("\(name)…")
    do throws(Fault) {
      tell(try measure())
    } catch {
      say("  not available: \(error.reason)")
      report.miss(name, error)
    }
  }
  row("P10") { () throws(Fault) in try Start.rows(plan) }
  row("P7") { () throws(Fault) in try Memory.rows() }
  row("P6") { () throws(Fault) in [try Health.row(plan)] }

  row("micro") { () throws(Fault) in try Micro.rows() }
  row("instructions") { () throws(Fault) in try Instructions.rows(updates: plan.updates) }
  /// Rows on a stage of their own; without it none of them can be had.
  func staged(_ names: [String], _ installations: Int, _ measure: (Stage) throws(Fault) -> Void) {
    let wanted = names.filter(plan.rows.contains)
    guard !wanted.isEmpty else { return }
    say("\(installations) installations…")
    do throws(Fault) {
      let stage = try Stage.start(installations: installations, plan.profiles)
      defer { stage.stop() }
      try measure(stage)
    } catch {
      for name in wanted { report.miss(name, error) }
    }
  }
  staged(["P2", "P3", "P1", "latency", "P8", "rivals", "feed"], Stage.installations) { stage in
    row("P2") { () throws(Fault) in [try Registrations.unchanged(stage, plan)] }
    row("P3") { () throws(Fault) in [try Renders.single(stage, plan)] }
    row("P1") { () throws(Fault) in try Registrations.changed(stage, plan) }
    row("latency") { () throws(Fault) in try Latency.rows(stage, plan) }
    row("P8") { () throws(Fault) in [try Imports.row(stage, plan)] }
    row("rivals") { () throws(Fault) in try Rivals.rows(stage, plan) }
    row("feed") { () throws(Fault) in [try Registrations.feed(stage, plan)] }
  }
  staged(["P4", "P5", "P11", "P9"], Audiences.installations) { stage throws(Fault) in
    if plan.rows.contains("P4") || plan.rows.contains("P5") {
      tell(try Audiences.rows(stage, plan))
    }
    row("P11") { () throws(Fault) in try Recipients.rows(stage, plan) }
    row("P9") { () throws(Fault) in try Growth.rows([100_000], stage, plan) }
  }
  staged(["growth10m"], 10_000_000) { stage in
    row("growth10m") { () throws(Fault) in try Growth.rows([], stage, plan) }
  }
  return report
}

do throws(Fault) {
  if CommandLine.arguments.dropFirst().first == "--open-loop" {
    say(try OpenLoop.serve(Options(CommandLine.arguments.dropFirst(2))))
    exit(0)
  }
  if CommandLine.arguments.dropFirst().first == "--bound" {
    try Bound.serve(Options(CommandLine.arguments.dropFirst(2)))
    exit(0)
  }
  let plan = try Plan(Array(CommandLine.arguments.dropFirst()))
  if let step = plan.step {
    say("\(try Instructions.run(step, times: plan.times))")
    end(0)
  }
  guard access("bench/seed.sql", R_OK) == 0 else {
    throw Fault("run it where the directory bench/ is")
  }
  watchSignals()
  let report = measure(plan)
  if Child.isStopping { end(1) }
  try report.write(to: "bench/results.json")
  if let picture = plan.picture { try write(Chart(rows: report.sorted).svg, to: picture) }
  say("\n\(report.table)")
  end(report.isSound ? 0 : 1)
} catch {
  FileHandle.standardError.write(Data("bench: \(error.reason)\n".utf8))
  end(64)
}
