internal import Glibc

/// One run of a load generator.
struct LoadResult: Sendable {
  /// Operations that succeeded.
  let operations: Double
  let seconds: Double
  /// Latencies in microseconds, when the generator reports them.
  var p50Microseconds: Double?
  var p99Microseconds: Double?
  var cpu = CPUShare()
  /// How much of the machine's processors went to others meanwhile, 0 to 1.
  var othersShare = 0.0

  var perSecond: Double { operations / seconds }
}

/// Processor time in microseconds for each operation, by the process that took it.
struct CPUShare: Sendable, Encodable {
  /// The server that is asked: the service or nginx; nothing for pgbench.
  var server = 0.0
  /// The service's PostgreSQL with all its processes.
  var database = 0.0
  /// wrk or pgbench.
  var load = 0.0

  var all: Double { server + database + load }
}

/// Whose processor time is taken beside a load.
struct Measured: Sendable {
  var server: pid_t?
  var postmaster: pid_t?

  /// Runs a load and adds what it cost.
  func around(
    _ load: () throws(Fault) -> (LoadResult, cpuSeconds: Double)
  ) throws(Fault) -> LoadResult {
    let before = sample()
    var (result, loadSeconds) = try load()
    // The backends of clients that have just left still end.
    usleep(200_000)
    let after = sample()
    let scale = 1e6 / max(result.operations, 1)
    let server = after.server - before.server
    let database = after.database - before.database
    let others = after.busy - before.busy - server - database - loadSeconds
    let capacity = (after.time - before.time) * Double(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    result.othersShare = max(0, others / capacity)
    result.cpu = CPUShare(
      server: server * scale, database: database * scale, load: loadSeconds * scale)
    return result
  }

  private struct Sample {
    let time = now()
    let busy = ProcessFigures.busySeconds()
    let server: Double
    let database: Double
  }

  private func sample() -> Sample {
    Sample(
      server: server.map(ProcessFigures.cpuSeconds) ?? 0,
      database: postmaster.map(ProcessFigures.cpuSecondsWithChildren) ?? 0)
  }
}
