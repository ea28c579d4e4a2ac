internal import Foundation

/// The service's own PostgreSQL, reached past the service.
struct Database: Sendable {
  let postmaster: Service.Postmaster
  private let directory: WorkDirectory

  init(of service: Service, directory: WorkDirectory) throws(Fault) {
    postmaster = try service.postmaster()
    self.directory = directory
  }

  /// The options of PostgreSQL's client programs that lead here.
  var options: [String] { ["-h", postmaster.socketDirectory, "-U", "postilion"] }

  /// Runs a statement; returns its rows, columns separated by `|`.
  func query(_ sql: String) throws(Fault) -> String {
    let command = [Tool.postgres("psql"), "-XAtq"] + options + ["-c", sql, "postilion"]
    return try Tool.run(command, seconds: 60, in: directory).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Runs a file of statements with variables.
  func run(file: String, _ variables: KeyValuePairs<String, Int>) throws(Fault) {
    let values = variables.flatMap { ["-v", "\($0.key)=\($0.value)"] }
    let command = [Tool.postgres("psql"), "-Xq"] + options + values + ["-f", file, "postilion"]
    _ = try Tool.run(command, seconds: 300, in: directory)
  }

  /// Commits must reach the disk, or no figure counts.
  func checkDurability() throws(Fault) {
    for setting in ["fsync", "synchronous_commit", "full_page_writes"] {
      let value = try query("SHOW \(setting)")
      guard value == "on" else { throw Fault("\(setting) is \(value)") }
    }
  }
}
