/// pgbench with 64 clients and prepared statements.
struct Pgbench {
  let database: Database
  /// A script in `bench/`.
  let script: String
  let variables: KeyValuePairs<String, Int>
  let directory: WorkDirectory

  /// Runs it; a failed transaction is a fault.
  func run(seconds: Int) throws(Fault) -> (LoadResult, cpuSeconds: Double) {
    let values = variables.flatMap { ["-D", "\($0.key)=\($0.value)"] }
    let command =
      [Tool.postgres("pgbench"), "-n", "-M", "prepared", "-c", "64", "-j", "2", "-T"]
      + ["\(seconds)", "-f", "bench/\(script)"] + values + database.options + ["postilion"]
    let result = try Tool.run(command, seconds: Double(seconds) + 30, in: directory)
    func value(after prefix: String) -> Double? {
      let line = result.output.split(separator: "\n").first { $0.hasPrefix(prefix) }
      return line?.dropFirst(prefix.count).split(separator: " ").first.flatMap { Double($0) }
    }
    guard let count = value(after: "number of transactions actually processed: "), count > 0,
      let perSecond = value(after: "tps = "), perSecond > 0,
      value(after: "number of failed transactions: ") == 0
    else { throw Fault("pgbench: \(result.output.suffix(500))") }
    return (LoadResult(operations: count, seconds: count / perSecond), result.cpuSeconds)
  }
}
