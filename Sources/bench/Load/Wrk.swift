/// wrk with 64 keep-alive connections on one thread: more would take processors from the server.
struct Wrk {
  static let connections = 64

  let url: String
  /// A script in `bench/` and its arguments.
  var script = "report.lua"
  var arguments: [String] = []
  let directory: WorkDirectory

  /// Runs it; an answer that is no success is a fault, and so is a broken connection.
  func run(seconds: Int) throws(Fault) -> (LoadResult, cpuSeconds: Double) {
    let command = [
      "wrk", "-t1", "-c\(Self.connections)", "-d\(seconds)s", "-s", "bench/\(script)", url, "--",
    ]
    let result = try Tool.run(
      command + arguments, seconds: Double(seconds) + 30, in: directory)
    let lines = result.output.split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("result ") }) else {
      throw Fault("wrk: no result in \(result.output.suffix(300))")
    }
    let values = Dictionary(
      line.split(separator: " ").dropFirst().compactMap { word in
        let parts = word.split(separator: "=")
        return parts.count == 2 ? Double(parts[1]).map { (String(parts[0]), $0) } : nil
      }, uniquingKeysWith: { $1 })
    for error in ["statuses", "connect", "read", "write", "timeout"] {
      guard let count = values[error], count == 0 else {
        throw Fault("wrk: \(Int(values[error] ?? 0)) errors (\(error))")
      }
    }
    guard let requests = values["requests"], requests > 0, let time = values["microseconds"]
    else { throw Fault("wrk: nothing was answered") }
    return (
      LoadResult(
        operations: requests, seconds: time / 1e6, p50Microseconds: values["p50"],
        p99Microseconds: values["p99"]), result.cpuSeconds
    )
  }
}
