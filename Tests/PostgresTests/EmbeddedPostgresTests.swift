import Foundation
import Glibc
import TestSupport
import Testing

@testable import Postgres

/// The life of one private cluster, in a directory with a space in its path. Every step leaves it
/// to the next one; a table shows that it is still the same.
@Suite struct EmbeddedPostgresTests {
  @Test func aClusterOutlivesWhateverHappensToIt() async throws {
    let root = "/tmp/postilion test \(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: root) }
    let directory = "\(root)/data"
    let postgres = ScratchServer.make(directory, [:])
    defer { postgres.stop() }

    try firstStartMakesClusterAndDatabase(postgres, directory)
    try secondServiceIsRefused(postgres, directory)
    try stopEndsTheServer(postgres, directory)
    try await killedServerComesBackByItself(postgres, directory)
    try await serverThatMayEndStaysDown(postgres, directory)
    try recycledProcessIDIsNoServer(postgres, directory)
    try serverThatOutlivedItsServiceIsStopped(postgres, directory)
    try refusedSettingIsQuotedFromTheLog(directory)
    try whatIsNoFileIsNamed(directory)
    try longPathPutsTheSocketElsewhere(root)
  }

  /// PostgreSQL would wait for a pipe in the place of a file forever.
  private func whatIsNoFileIsNamed(_ directory: String) throws {
    for name in [
      "cluster/postgresql.conf", "cluster/pg_hba.conf", "cluster/PG_VERSION",
      "cluster/postmaster.pid", "cluster/postmaster.opts", "cluster/global/pg_control",
      "cluster/pg_wal/pipe", "server.log",
    ] {
      let (file, kept) = ("\(directory)/\(name)", "\(directory)/cluster.kept")
      let isThere = rename(file, kept) == 0
      // The server's account may open it.
      #expect(mkfifo(file, 0o600) == 0 && chmod(file, 0o666) == 0)
      let error = #expect(throws: EmbeddedPostgresError.self, "\(name)") {
        try ScratchServer.make(directory, [:]).start()
      }
      #expect(error?.description.contains(file) == true, "\(name): \(String(describing: error))")
      unlink(file)
      if isThere { #expect(rename(kept, file) == 0) }
    }
    // A link to a file is as good as the file.
    let (file, elsewhere) = ("\(directory)/cluster/pg_ident.conf", "\(directory)/cluster.kept")
    #expect(rename(file, elsewhere) == 0 && symlink(elsewhere, file) == 0)
    let postgres = ScratchServer.make(directory, [:])
    defer { postgres.stop() }
    try expectTable(in: postgres)
    postgres.stop()
    #expect(rename(elsewhere, file) == 0)
  }

  private func firstStartMakesClusterAndDatabase(
    _ postgres: EmbeddedPostgres, _ directory: String
  ) throws {
    let connection = try postgres.start()
    #expect(try postgres.start() == connection)
    let table = "CREATE TABLE kept (token text UNIQUE); INSERT INTO kept VALUES ('5ec4e7')"
    #expect(ClusterDatabase.execute(table, on: connection) == nil)
    #expect(ClusterDatabase.execute("INSERT INTO kept VALUES ('5ec4e7')", on: connection) != nil)
    let log = try String(contentsOfFile: "\(directory)/server.log", encoding: .utf8)
    #expect(log.contains("duplicate key") && !log.contains("DETAIL"))
    #expect(!log.contains("STATEMENT"))
    let attributes = try FileManager.default.attributesOfItem(atPath: directory)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  private func secondServiceIsRefused(_ postgres: EmbeddedPostgres, _ directory: String) throws {
    #expect(throws: EmbeddedPostgresError.dataDirectoryInUse(path: directory)) {
      try ScratchServer.make(directory, [:]).start()
    }
    try expectTable(in: postgres)
  }

  private func stopEndsTheServer(_ postgres: EmbeddedPostgres, _ directory: String) throws {
    let connection = try postgres.start()
    postgres.stop()
    #expect(ClusterProcesses.running(on: "\(directory)/cluster").isEmpty)
    #expect(ClusterDatabase.execute("SELECT 1", on: connection) != nil)
    try expectTable(in: postgres)
  }

  /// Its children hold its memory, and one of them does not listen to any signal but the last.
  private func killedServerComesBackByItself(
    _ postgres: EmbeddedPostgres, _ directory: String
  ) async throws {
    let killed = try serverProcess(in: directory)
    let child = try #require(
      ClusterProcesses.running(on: "\(directory)/cluster").first { $0 != killed })
    kill(child, SIGSTOP)
    kill(killed, SIGKILL)
    var events = postgres.events.makeAsyncIterator()
    #expect(await events.next() == .ended(reason: "ended by signal 9"))
    guard case .restarted = await events.next() else {
      Issue.record("It was not started again.")
      return
    }
    try expectTable(in: postgres)
    #expect(try serverProcess(in: directory) != killed)
    #expect(!ClusterProcesses.running(on: "\(directory)/cluster").contains(child))
  }

  /// Who ends the service may end all its processes at once.
  private func serverThatMayEndStaysDown(
    _ postgres: EmbeddedPostgres, _ directory: String
  ) async throws {
    postgres.letEnd()
    kill(try serverProcess(in: directory), SIGTERM)
    while !ClusterProcesses.running(on: "\(directory)/cluster").isEmpty { usleep(2_000) }
    postgres.stop()
    #expect(ClusterProcesses.running(on: "\(directory)/cluster").isEmpty)
    try expectTable(in: postgres)
  }

  /// The machine went down, and the process id in the files now belongs to another program of the
  /// server's account: PostgreSQL by itself would take that for a running server.
  private func recycledProcessIDIsNoServer(
    _ postgres: EmbeddedPostgres, _ directory: String
  ) throws {
    postgres.stop()
    let other = try ChildProcess.spawn(
      PostgresAccount.launcher + ["/bin/sleep", "600"], environment: [], output: STDERR_FILENO)
    defer {
      kill(other, SIGKILL)
      _ = ChildProcess.wait(for: other)
    }
    let stale = "\(other)\n\(directory)/cluster\n0\n5432\n\(directory)\n\n  1 1\nready   \n"
    for path in ["cluster/postmaster.pid", ".s.PGSQL.5432.lock"] {
      try stale.write(toFile: "\(directory)/\(path)", atomically: true, encoding: .utf8)
    }
    try expectTable(in: postgres)
    postgres.stop()
  }

  private func serverThatOutlivedItsServiceIsStopped(
    _ postgres: EmbeddedPostgres, _ directory: String
  ) throws {
    let programs = try ServerPrograms.find(
      in: ServerPrograms.usualDirectories(environment: ChildEnvironment([:])), majorVersion: nil)
    let settings = ClusterSettings.settings(
      socketDirectory: directory, majorVersion: nil, overriddenBy: [:])
    let orphan = try ChildProcess.spawn(
      PostgresAccount.launcher + [programs.postgres, "-D", "\(directory)/cluster"]
        + ClusterSettings.arguments(for: settings),
      environment: [], output: STDERR_FILENO)
    while postmasterFile(in: directory)?.isReady != true { usleep(2_000) }
    #expect(try serverProcess(in: directory) == orphan)
    let reaping = Thread { _ = ChildProcess.wait(for: orphan) }
    reaping.start()
    try expectTable(in: postgres)
    #expect(try serverProcess(in: directory) != orphan)
    postgres.stop()
  }

  private func refusedSettingIsQuotedFromTheLog(_ directory: String) throws {
    let postgres = ScratchServer.make(directory, ["max_connections": "many"])
    let error = #expect(throws: EmbeddedPostgresError.self) { try postgres.start() }
    #expect(
      error?.description == """
        PostgreSQL did not start (invalid value for parameter "max_connections": "many"): \
        see \(directory)/server.log.
        """)
  }

  /// A cluster may be moved while it is stopped.
  private func longPathPutsTheSocketElsewhere(_ root: String) throws {
    let parent = root + String(repeating: "/deep", count: 20)
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: "\(root)/data", toPath: "\(parent)/data")
    let postgres = ScratchServer.make("\(parent)/data", ["fsync": "off"])
    let sockets = PostgresAccount.directory(SocketDirectory.path(for: "\(parent)/data"))
    defer { postgres.stop() }
    #expect(try postgres.start().hasPrefix("host='/tmp/postilion-"))
    try expectTable(in: postgres)
    postgres.stop()
    try FileManager.default.removeItem(atPath: sockets)
  }

  private func expectTable(in postgres: EmbeddedPostgres) throws {
    let connection = try postgres.start()
    #expect(ClusterDatabase.execute("SELECT * FROM kept", on: connection) == nil)
  }

  /// The process id of the server; fails the test when none is ready.
  private func serverProcess(in directory: String) throws -> pid_t {
    let file = try #require(postmasterFile(in: directory))
    #expect(file.isReady)
    return file.process
  }

  private func postmasterFile(in directory: String) -> PostmasterFile? {
    (try? String(contentsOfFile: "\(directory)/cluster/postmaster.pid", encoding: .utf8))
      .flatMap(PostmasterFile.init)
  }
}
