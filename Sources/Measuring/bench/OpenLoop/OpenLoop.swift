/// A load with arrivals at a fixed rate, from a process of its own: its processor time is told
/// apart from that of the bench.
struct OpenLoop {
  let kind: Arrivals.Kind
  let port: Int
  let perSecond: Double
  let path: String
  let key: String
  let numbers: ClosedRange<Int>
  /// The file of ``Profiles``.
  let reports: String
  let directory: WorkDirectory

  /// Runs it.
  func run(seconds: Int) throws(Fault) -> (LoadResult, cpuSeconds: Double) {
    let values: KeyValuePairs<String, Any> = [
      "kind": kind.rawValue, "port": port, "rate": perSecond, "seconds": seconds, "path": path,
      "key": key, "first": numbers.lowerBound, "last": numbers.upperBound, "reports": reports,
    ]
    let command = [CommandLine.arguments[0], "--open-loop"]
    let result = try Tool.run(
      command + values.map { "\($0.key)=\($0.value)" }, seconds: Double(seconds) + 60,
      in: directory)
    return (try LoadResult(line: result.output), result.cpuSeconds)
  }

  /// What the process does: `bench --open-loop kind=changed port=…`.
  static func serve(_ options: Options) throws(Fault) -> String {
    guard let kind = Arrivals.Kind(rawValue: try options.text("kind")) else {
      throw Fault("kind is changed or render")
    }
    let arrivals = try Arrivals(
      kind, perSecond: try options.number("rate"), seconds: Int(try options.number("seconds")),
      path: try options.text("path"), key: try options.text("key"),
      numbers: Int(try options.number("first"))...Int(try options.number("last")),
      reports: try options.text("reports"))
    var client = try OpenLoopClient(port: Int(try options.number("port")), arrivals)
    let result = try client.run()
    let latencies = result.latencies.sorted()
    let lags = result.lags.sorted()
    func microseconds(_ sorted: [Int], _ share: Double) -> Int {
      percentile(sorted, share) / 1000
    }
    return """
      result requests=\(latencies.count) microseconds=\(result.nanoseconds / 1000) \
      p50=\(microseconds(latencies, 0.5)) p99=\(microseconds(latencies, 0.99)) \
      p999=\(microseconds(latencies, 0.999)) lag=\(microseconds(lags, 0.99))
      """
  }
}
