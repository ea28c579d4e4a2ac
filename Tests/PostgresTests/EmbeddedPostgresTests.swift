import Foundation
import Glibc
import Testing

@testable import Postgres

/// The life of a private cluster, on a real one; it is made once, in a directory with a space in
/// its path.
@Suite(.serialized) struct EmbeddedPostgresTests {
  /// The process id of the server; fails the test when none is ready.
  private func serverProcess(in directory: String) throws -> pid_t {
    let file = try #require(PostmasterFile(cluster: "\(directory)/cluster"))
    #expect(file.isReady)
    return file.process
  }

  @Test func aClusterOutlivesWhateverHappensToIt() throws {
    let directory = temporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let postgres = EmbeddedPostgres(dataDirectory: directory)
    defer { postgres.stop() }

    // The first start makes cluster and database; calling it again changes nothing.
    let connection = try postgres.start()
    #expect(try postgres.start() == connection)
    #expect(ClusterDatabase.execute("CREATE TABLE kept (id int)", on: connection) == nil)
    let first = try serverProcess(in: directory)

    // A second service on the same directory is refused, and the first one goes on.
    #expect(throws: EmbeddedPostgresError.dataDirectoryInUse(path: directory)) {
      try EmbeddedPostgres(dataDirectory: directory).start()
    }
    #expect(ClusterDatabase.execute("SELECT * FROM kept", on: connection) == nil)

    // After stop the server is gone and the next start finds the table.
    postgres.stop()
    #expect(!ClusterProcesses.isServer(first, on: "\(directory)/cluster"))
    #expect(ClusterDatabase.execute("SELECT 1", on: connection) != nil)
    try expectTable(in: postgres)

    // The server is killed.
    kill(try serverProcess(in: directory), SIGKILL)
    postgres.stop()
    try expectTable(in: postgres)

    // The machine went down, and the process id in the files now belongs to us.
    postgres.stop()
    let stale = "\(getpid())\n\(directory)/cluster\n0\n5432\n\(directory)\n\n  1 1\nready   \n"
    try stale.write(
      toFile: "\(directory)/cluster/postmaster.pid", atomically: true, encoding: .utf8)
    try "\(getpid())\n".write(
      toFile: "\(directory)/.s.PGSQL.5432.lock", atomically: true, encoding: .utf8)
    try expectTable(in: postgres)
  }

  private func expectTable(in postgres: EmbeddedPostgres) throws {
    let connection = try postgres.start()
    #expect(ClusterDatabase.execute("SELECT * FROM kept", on: connection) == nil)
  }

  @Test func aServerThatOutlivedItsServiceIsStoppedFirst() throws {
    let directory = temporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let postgres = EmbeddedPostgres(dataDirectory: directory, settings: ["fsync": "off"])
    defer { postgres.stop() }
    _ = try postgres.start()
    postgres.stop()

    // The same server as a killed service without pdeathsig would leave it behind.
    let account = try ServerAccount.current()
    let launcher = try account.launcher(searchPath: [], endsWithService: false)
    let programs = try ServerPrograms.find(
      in: ServerPrograms.usualDirectories(path: nil), majorVersion: nil)
    let settings = ClusterSettings.settings(socketDirectory: directory, overriddenBy: [:])
    let orphan = Postmaster(
      launcher + [programs.postgres, "-D", "\(directory)/cluster"]
        + ClusterSettings.arguments(for: settings),
      environment: [], log: "\(directory)/server.log")
    try orphan.waitUntilReady(
      cluster: "\(directory)/cluster", log: "\(directory)/server.log", seconds: 10)
    let process = try serverProcess(in: directory)

    let connection = try postgres.start()
    #expect(try serverProcess(in: directory) != process)
    #expect(ClusterDatabase.execute("SELECT 1", on: connection) == nil)
  }

  @Test func aLongPathPutsTheSocketElsewhere() throws {
    let root = temporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: root) }
    let directory = root + String(repeating: "/deep", count: 20)
    let postgres = EmbeddedPostgres(dataDirectory: directory, settings: ["fsync": "off"])
    defer { postgres.stop() }
    let connection = try postgres.start()
    #expect(connection.hasPrefix("host='/tmp/postilion-"))
    #expect(ClusterDatabase.execute("SELECT 1", on: connection) == nil)
    postgres.stop()
    try FileManager.default.removeItem(atPath: SocketDirectory.path(for: directory))
  }

  @Test func aRefusedSettingIsQuotedFromTheLog() throws {
    let directory = temporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let postgres = EmbeddedPostgres(
      dataDirectory: directory, settings: ["max_connections": "many"])
    let error = #expect(throws: EmbeddedPostgresError.self) { try postgres.start() }
    #expect(
      error?.description == """
        PostgreSQL did not start (invalid value for parameter "max_connections": "many"): \
        see \(directory)/server.log.
        """)
  }
}

/// A directory that does not exist yet, with a space in its name, reachable for any account.
private func temporaryDirectory() -> String {
  "/tmp/postilion tests/\(UUID().uuidString)"
}
