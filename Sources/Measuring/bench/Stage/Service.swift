internal import Foundation

/// The release binary, serving on a free port with a private PostgreSQL.
struct Service: Sendable {
  static let rootKey = "pst_root_benchbenchbenchbenchbenchbench"
  private static let program = ".build/release/postilion"

  let child: Child
  let port: Int
  /// From its start to its ready line.
  let secondsToReady: Double
  private let dataDirectory: String

  /// The directory of the private PostgreSQL's socket, and its process.
  struct Postmaster: Sendable {
    let process: pid_t
    let socketDirectory: String
  }

  /// Starts it in a directory, whose database it makes when there is none.
  static func start(in directory: WorkDirectory, loops: Int? = nil) throws(Fault) -> Service {
    guard access(program, X_OK) == 0 else {
      throw Fault("there is no \(program); make build builds it")
    }
    var environment = [
      "POSTILION_DATA_DIR": directory.file("data"), "POSTILION_LISTEN": "127.0.0.1:0",
      "POSTILION_ROOT_KEY": rootKey, "POSTILION_LOG": "json", "DATABASE_URL": "",
    ]
    if let loops { environment["POSTILION_LOOPS"] = String(loops) }
    let started = now()
    let child = try Child.start(
      [program, "serve"], environment: environment, output: directory.file("service.log"))
    let address: String
    do throws(Fault) {
      address = try child.waitFor(line: "ready http://", seconds: 60)
    } catch {
      child.stop()
      throw Fault("postilion: \(error.reason)")
    }
    let seconds = now() - started
    guard let port = address.split(separator: ":").last.flatMap({ Int($0) }) else {
      child.stop()
      throw Fault("the ready line has no port: \(address)")
    }
    return Service(
      child: child, port: port, secondsToReady: seconds,
      dataDirectory: directory.file("data"))
  }

  /// Stops it and waits for the end of its database too, which writes until then.
  func stop() {
    let database = try? postmaster().process
    child.stop()
    let deadline = now() + 20
    while let database, kill(database, 0) == 0, now() < deadline { usleep(5_000) }
  }

  var url: String { "http://127.0.0.1:\(port)" }

  /// Its database server, as `postmaster.pid` tells (PostgreSQL, pidfile.h).
  func postmaster() throws(Fault) -> Postmaster {
    let path = "\(dataDirectory)/cluster/postmaster.pid"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 4, let process = pid_t(lines[0]) else {
      throw Fault("\(path) does not name the database's socket")
    }
    return Postmaster(process: process, socketDirectory: String(lines[4]))
  }
}
