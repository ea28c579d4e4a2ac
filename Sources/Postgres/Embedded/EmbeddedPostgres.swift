internal import Foundation
internal import Glibc
internal import Synchronization

/// A private PostgreSQL in a data directory, which starts and stops with the service.
///
/// It listens only on a Unix socket in a directory that is closed to other accounts, so it needs
/// no password. Commits are durable. It needs the programs `initdb` and `postgres` on the machine;
/// when the service is root they run as the account `postgres`, because the server refuses root.
///
/// Whatever ended the last run, the next start recovers: a server that outlived its killed service
/// is stopped first, what a crashed one left behind is cleared, a half-made cluster is made anew.
/// Both calls block; make them before the event loops start and after they stop.
public final class EmbeddedPostgres: Sendable {
  private struct Running {
    let directory: DataDirectory
    let postmaster: Postmaster
    let connectionString: String
  }

  /// How long a start may take, in seconds: recovery reads up to `max_wal_size` of log.
  private static let startSeconds = 300
  /// How long a server of an earlier run may take to write everything, in seconds.
  private static let orphanSeconds = 60

  private let dataDirectory: String
  private let settings: [String: String]
  private let programDirectories: [String]?
  private let running = Mutex<Running?>(nil)

  /// A server that is not started yet.
  ///
  /// - Parameters:
  ///   - dataDirectory: created when missing; relative paths start at the working directory.
  ///   - settings: PostgreSQL settings that stand above ours, such as `fsync = off` for tests.
  public convenience init(dataDirectory: String, settings: [String: String] = [:]) {
    self.init(dataDirectory: dataDirectory, settings: settings, programDirectories: nil)
  }

  init(dataDirectory: String, settings: [String: String], programDirectories: [String]?) {
    self.dataDirectory = dataDirectory
    self.settings = settings
    self.programDirectories = programDirectories
  }

  /// Starts the server, creating cluster and database the first time, and waits until it accepts
  /// connections.
  ///
  /// - Returns: the libpq connection string of the database `postilion`; the same one when the
  ///   server runs already.
  public func start() throws(EmbeddedPostgresError) -> String {
    try running.withLock { (running) throws(EmbeddedPostgresError) -> String in
      if let running { return running.connectionString }
      let account = try ServerAccount.current()
      let directory = try DataDirectory.open(dataDirectory, account: account)
      do throws(EmbeddedPostgresError) {
        let started = try start(in: directory, account: account)
        running = started
        return started.connectionString
      } catch {
        directory.unlock()
        throw error
      }
    }
  }

  /// Stops the server (fast shutdown) and waits for its end; does nothing when it does not run.
  public func stop() {
    running.withLock { running in
      running?.postmaster.stop()
      running?.directory.unlock()
      running = nil
    }
  }

  private func start(
    in directory: DataDirectory, account: ServerAccount
  ) throws(EmbeddedPostgresError) -> Running {
    let inherited = ProcessInfo.processInfo.environment
    let path = (inherited["PATH"] ?? "").split(separator: ":").map(String.init)
    let environment = Self.environment(from: inherited)
    let launcher = try account.launcher(searchPath: path, endsWithService: true)
    let version = try? String(contentsOfFile: "\(directory.cluster)/PG_VERSION", encoding: .utf8)
    let programs = try ServerPrograms.find(
      in: programDirectories ?? ServerPrograms.usualDirectories(path: inherited["PATH"]),
      majorVersion: version?.split(separator: "\n").first.map(String.init))

    rotateLog(directory.log)
    try ClusterProcesses.stop(on: directory.cluster, within: Self.orphanSeconds)
    directory.removeStaleFiles()
    if version == nil {
      try createCluster(
        directory, account: account, command: launcher + [programs.initdb],
        environment: environment)
    }

    let settings = ClusterSettings.settings(
      socketDirectory: directory.socketDirectory, overriddenBy: settings)
    let postmaster = try launch(
      launcher + [programs.postgres, "-D", directory.cluster]
        + ClusterSettings.arguments(for: settings),
      environment: environment, directory: directory)
    do throws(EmbeddedPostgresError) {
      let connectionString = try ClusterDatabase.ensure(
        socketDirectory: directory.socketDirectory, port: settings["port"] ?? "")
      return Running(
        directory: directory, postmaster: postmaster, connectionString: connectionString)
    } catch {
      postmaster.stop()
      throw error
    }
  }

  /// Starts the server; again for some seconds while the last server's children, which notice its
  /// death by themselves, still hold its shared memory.
  private func launch(
    _ command: [String], environment: [String], directory: DataDirectory
  ) throws(EmbeddedPostgresError) -> Postmaster {
    var attempts = 0
    while true {
      attempts += 1
      let postmaster = Postmaster(command, environment: environment, log: directory.log)
      do throws(EmbeddedPostgresError) {
        try postmaster.waitUntilReady(
          cluster: directory.cluster, log: directory.log, seconds: Self.startSeconds)
        return postmaster
      } catch {
        guard case .startFailed(let reason, _) = error, attempts < 50,
          reason.contains("pre-existing shared memory block")
        else { throw error }
        usleep(200_000)
      }
    }
  }

  /// Makes the cluster under another name and renames it when it is complete: one that is there is
  /// whole, also after a power cut.
  private func createCluster(
    _ directory: DataDirectory, account: ServerAccount, command: [String], environment: [String]
  ) throws(EmbeddedPostgresError) {
    let unfinished = directory.cluster + ".new"
    try ClusterProcesses.stop(on: unfinished, within: Self.orphanSeconds)
    try? FileManager.default.removeItem(atPath: unfinished)
    let process = try ChildProcess.spawn(
      command + [
        "--pgdata=\(unfinished)", "--username=\(ClusterDatabase.user)", "--encoding=UTF8",
        // Names sort by code point: fast, and no index breaks when the C library changes.
        "--locale=C.UTF-8", "--lc-collate=C", "--lc-messages=C",
        "--auth=trust", "--no-instructions",
      ], environment: environment, log: directory.log)
    guard ChildProcess.wait(for: process) == 0 else {
      throw .initializationFailed(reason: lastComplaint(in: directory.log), log: directory.log)
    }
    // Fails when something is there whose version could not be read: never delete a cluster.
    guard rename(unfinished, directory.cluster) == 0 else {
      throw .failed("rename \(unfinished)")
    }
    let parent = open(directory.path, O_RDONLY | O_CLOEXEC)
    fsync(parent)
    close(parent)
  }

  /// The service's environment without what would change PostgreSQL's behaviour or language.
  private static func environment(from inherited: [String: String]) -> [String] {
    let kept = inherited.filter { name, _ in
      !name.hasPrefix("PG") && !name.hasPrefix("LC_") && !name.hasPrefix("LANG")
    }
    return kept.map { "\($0.key)=\($0.value)" } + ["LC_ALL=C"]
  }

  /// Keeps one old log beside the new one, so that the two stay under about 20 MB over restarts.
  private func rotateLog(_ log: String) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: log)
    let bytes = attributes?[.size] as? Int ?? 0
    if bytes > 10_000_000 { rename(log, log + ".1") }
  }
}
