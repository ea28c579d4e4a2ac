internal import Foundation

/// pgbench with 64 clients and prepared statements.
struct Pgbench {
  let database: Database
  /// A script in `bench/`.
  let script: String
  let variables: KeyValuePairs<String, Int>
  let directory: WorkDirectory

  /// Runs it; a failed transaction is a fault.
  /// - Parameter rate: How many transactions are due in a second. Latencies are those from the
  ///   time when they are due, without those of the first second, which wait for connections.
  ///   `nil` has them as fast as they go, without latencies.
  func run(
    seconds: Int, rate: Double? = nil
  ) throws(Fault) -> (LoadResult, cpuSeconds: Double) {
    let pace =
      rate.map { ["-R", "\($0)", "-l", "--log-prefix", directory.file("pgbench")] } ?? []
    let values = variables.flatMap { ["-D", "\($0.key)=\($0.value)"] }
    let command =
      [Tool.postgres("pgbench"), "-n", "-M", "prepared", "-c", "64", "-j", "2", "-T"]
      + ["\(seconds)", "-f", "bench/\(script)"] + pace + values + database.options + ["postilion"]
    let result = try Tool.run(command, seconds: Double(seconds) + 30, in: directory)
    func value(after prefix: String) -> Double? {
      let line = result.output.split(separator: "\n").first { $0.hasPrefix(prefix) }
      return line?.dropFirst(prefix.count).split(separator: " ").first.flatMap { Double($0) }
    }
    guard let count = value(after: "number of transactions actually processed: "), count > 0,
      let perSecond = value(after: "tps = "), perSecond > 0,
      value(after: "number of failed transactions: ") == 0
    else { throw Fault("pgbench: \(result.output.suffix(500))") }
    var load = LoadResult(operations: count, seconds: count / perSecond)
    if rate != nil {
      let latencies = try latencies().sorted()
      load.p50Microseconds = Double(percentile(latencies, 0.5))
      load.p99Microseconds = Double(percentile(latencies, 0.99))
      load.p999Microseconds = Double(percentile(latencies, 0.999))
    }
    return (load, result.cpuSeconds)
  }

  /// The latencies of the logs of a run, which are removed: a line has the client, the number, the
  /// latency in microseconds, the script, and the time as seconds and microseconds.
  private func latencies() throws(Fault) -> [Int] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
    var lines: [(latency: Int, at: Int)] = []
    for name in names ?? [] where name.hasPrefix("pgbench.") {
      let file = directory.file(name)
      for line in try contents(file).split(separator: "\n") {
        let values = line.split(separator: " ").compactMap { Int($0) }
        guard values.count >= 6 else { throw Fault("a line of pgbench's log: \(line)") }
        lines.append((values[2], values[4] * 1_000_000 + values[5]))
      }
      try? FileManager.default.removeItem(atPath: file)
    }
    let start = lines.map(\.at).min() ?? 0
    return lines.filter { $0.at >= start + 1_000_000 }.map(\.latency)
  }
}
