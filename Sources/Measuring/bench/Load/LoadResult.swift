internal import Glibc

/// One run of a load generator.
struct LoadResult: Sendable {
  /// Operations that succeeded.
  let operations: Double
  let seconds: Double
  /// Latencies in microseconds, when the generator reports them.
  var p50Microseconds: Double?
  var p99Microseconds: Double?
  var p999Microseconds: Double?
  /// How much later than due an open-loop client sent 99 of 100 requests at most.
  var lagMicroseconds: Double?
  var cpu = CPUShare()
  /// Bytes of the write-ahead log, and bytes by which the database grew, for each operation.
  var logBytes: Double?
  var diskBytes: Double?
  /// How much of the machine's processors went to others meanwhile, 0 to 1.
  var othersShare = 0.0

  var perSecond: Double { operations / seconds }
}

extension LoadResult {
  /// Reads the line that `bench/report.lua` and ``OpenLoop`` end with: `result requests=…`. An
  /// error that it tells of is a fault.
  init(line output: String) throws(Fault) {
    guard let line = output.split(separator: "\n").first(where: { $0.hasPrefix("result ") }) else {
      throw Fault("no result in \(output.suffix(300))")
    }
    let values = Dictionary(
      line.split(separator: " ").dropFirst().compactMap { word in
        let parts = word.split(separator: "=")
        return parts.count == 2 ? Double(parts[1]).map { (String(parts[0]), $0) } : nil
      }, uniquingKeysWith: { $1 })
    for error in ["statuses", "connect", "read", "write", "timeout"] {
      if let count = values[error], count > 0 { throw Fault("\(Int(count)) errors (\(error))") }
    }
    guard let requests = values["requests"], requests > 0, let time = values["microseconds"]
    else { throw Fault("nothing was answered") }
    self.init(
      operations: requests, seconds: time / 1e6, p50Microseconds: values["p50"],
      p99Microseconds: values["p99"], p999Microseconds: values["p999"],
      lagMicroseconds: values["lag"])
  }
}

/// The value that a share of sorted values does not exceed; 0 of none.
func percentile(_ sorted: [Int], _ share: Double) -> Int {
  sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
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
  /// Without what asked.
  var served: Double { server + database }
}

/// Whose processor time is taken beside a load.
struct Measured: Sendable {
  var server: pid_t?
  /// Whether the server's work is done by processes that it started.
  var hasWorkers = false
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
      server: server.map {
        hasWorkers ? ProcessFigures.cpuSecondsWithChildren($0) : ProcessFigures.cpuSeconds($0)
      } ?? 0,
      database: postmaster.map(ProcessFigures.cpuSecondsWithChildren) ?? 0)
  }
}
