import AppTesting
import Foundation
import Glibc
import Testing

/// PgBouncer in front of a database of the tests, on a socket of its own.
final class PgBouncer {
  private let process = Process()
  private let directory = NSTemporaryDirectory() + "pgbouncer-\(UUID().uuidString)"
  /// The database, through it.
  let database: ScratchDatabase

  /// Where it is; `make test` installs it.
  static let program = ["/usr/sbin", "/usr/bin", "/usr/local/bin"].map { "\($0)/pgbouncer" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Starts it.
  /// - Parameter mode: `session`, `transaction` or `statement`.
  init(_ mode: String, before direct: ScratchDatabase) async throws {
    database = ScratchDatabase(
      name: "pooled",
      administration: "host='\(directory)' port=6432 dbname=pooled user=anyone")
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o777])
    let settings = """
      [databases]
      pooled = \(direct.conninfo)
      [pgbouncer]
      listen_addr =
      listen_port = 6432
      unix_socket_dir = \(directory)
      auth_type = any
      pool_mode = \(mode)
      """
    try settings.write(toFile: "\(directory)/pgbouncer.ini", atomically: true, encoding: .utf8)
    process.executableURL = URL(filePath: Self.program ?? "pgbouncer")
    // It refuses to run as root, and the folder of the server's socket belongs to the server.
    process.arguments =
      ["-q"] + (getuid() == 0 ? ["-u", "postgres"] : []) + ["\(directory)/pgbouncer.ini"]
    process.standardError = FileHandle.nullDevice
    try process.run()
    try await eventually { (try? await database.value("SELECT 1")) == "1" }
  }

  /// Ends it at once; it inherits a mask of signals that holds back all others.
  func stop() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: directory)
  }
}
