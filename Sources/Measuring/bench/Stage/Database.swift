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
  /// - Parameter output: The file that the statements write, their variable `file`.
  func run(
    file: String, _ variables: KeyValuePairs<String, Int>, _ output: String = ""
  ) throws(Fault) {
    let values = variables.flatMap { ["-v", "\($0.key)=\($0.value)"] } + ["-v", "file=\(output)"]
    let command = [Tool.postgres("psql"), "-Xq"] + options + values + ["-f", file, "postilion"]
    _ = try Tool.run(command, seconds: 5400, in: directory)
  }

  /// Bytes so far of the write-ahead log, and of all files of the database.
  func bytesWritten() throws(Fault) -> (log: Double, disk: Double) {
    let figures = try query(
      """
      SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn, pg_database_size(current_database())
      """)
    let numbers = figures.split(separator: "|").compactMap { Double($0) }
    guard numbers.count == 2 else { throw Fault("bytes written: \(figures)") }
    return (numbers[0], numbers[1])
  }

  /// Commits must reach the disk, or no figure counts.
  func checkDurability() throws(Fault) {
    for setting in ["fsync", "synchronous_commit", "full_page_writes"] {
      let value = try query("SHOW \(setting)")
      guard value == "on" else { throw Fault("\(setting) is \(value)") }
    }
  }
}
