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
    return (try LoadResult(line: result.output), result.cpuSeconds)
  }
}
