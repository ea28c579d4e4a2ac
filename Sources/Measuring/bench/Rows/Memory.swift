internal import Foundation

/// P7: resident memory of the service's process, idle and with ten thousand idle connections.
enum Memory {
  private static let connections = 10_000

  static func rows() throws(Fault) -> [Row] {
    try raiseDescriptorLimit()
    let service = try Service.start(in: try WorkDirectory("memory"))
    defer { service.stop() }
    sleep(1)
    let idle = try ProcessFigures.residentMebibytes(service.child.process)
    var open: [HTTPConnection] = []
    defer { for connection in open { connection.close() } }
    for _ in 0..<connections {
      let connection = try HTTPConnection(port: service.port)
      open.append(connection)
      try expectHealth(connection)
    }
    sleep(1)
    let loaded = try ProcessFigures.residentMebibytes(service.child.process)
    // Requests are still served, on new connections and on the waiting ones.
    for index in 0..<20 {
      let connection = try HTTPConnection(port: service.port)
      defer { connection.close() }
      try expectHealth(connection)
      try expectHealth(open[index * connections / 20])
    }
    return [
      Row(
        name: "P7 idle", what: "resident memory, idle", value: idle, unit: "MiB",
        bar: .most(first: 64, goal: 32)),
      Row(
        name: "P7 connections", what: "added by 10,000 idle connections", value: loaded - idle,
        unit: "MiB", bar: .most(first: 160, goal: 80)),
    ]
  }

  private static func expectHealth(_ connection: HTTPConnection) throws(Fault) {
    let answer = try connection.send("GET", "/healthz")
    guard answer.status == 200 else { throw Fault("GET /healthz answers \(answer.status)") }
  }

  private static func raiseDescriptorLimit() throws(Fault) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_cur > connections + 200 else {
      throw Fault("only \(limit.rlim_cur) open files are allowed (ulimit -Hn)")
    }
  }
}
