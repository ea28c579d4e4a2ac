internal import Foundation
internal import Glibc
internal import Synchronization

/// A private PostgreSQL in a data directory, which starts and stops with the service.
///
/// It listens only on a Unix socket in a directory that is closed to other accounts, so it needs
/// no password. Commits are durable. It needs the programs `initdb` and `postgres` on the machine,
/// which refuse root: see ``leaveRoot(for:_:)``.
///
/// A server that ends by itself is started again at once; when it cannot be, three times in a row,
/// it stays down. While its disk is full, it is tried until there is room. Whatever ended the last
/// run, the next start recovers: a server that outlived its killed service is stopped first, files
/// that a crashed server left behind are removed, a half-made cluster is made anew. ``start()`` and
/// ``stop()`` block; call them before the event loops start and after they stop.
public final class EmbeddedPostgres: Sendable {
  private struct Running {
    let directory: DataDirectory
    let postmaster: Postmaster
    let connectionString: String
  }

  private let dataDirectory: String
  private let settings: [String: String]
  private let programDirectories: [String]?
  private let isTemporary: Bool
  private let launcher: [String]
  private let running = Mutex<Running?>(nil)
  /// The server that is not ready yet.
  private let starting = Mutex<Postmaster?>(nil)

  /// What happens to the server after its start, for one reader.
  public let events: AsyncStream<EmbeddedPostgresEvent>
  private let told: AsyncStream<EmbeddedPostgresEvent>.Continuation

  /// A server that is not started yet.
  ///
  /// - Parameters:
  ///   - dataDirectory: created when missing; relative paths start at the working directory.
  ///   - settings: PostgreSQL settings that stand above ours, such as `fsync = off` for tests.
  ///   - programDirectories: where its programs are looked for; nil for the usual places.
  ///   - isTemporary: the directory is removed when the server has ended.
  ///   - launcher: the words in front of its programs, with which tests of root run them.
  package init(
    dataDirectory: String, settings: [String: String] = [:], programDirectories: [String]? = nil,
    isTemporary: Bool = false, launcher: [String] = []
  ) {
    self.dataDirectory = dataDirectory
    self.settings = settings
    self.programDirectories = programDirectories
    self.isTemporary = isTemporary
    self.launcher = launcher
    (events, told) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
  }

  /// Starts the server, creating cluster and database the first time, and waits until it accepts
  /// connections.
  ///
  /// - Returns: the libpq connection string of the database `postilion`; the same one when the
  ///   server runs already.
  public func start() throws(EmbeddedPostgresError) -> String {
    try running.withLock { (running) throws(EmbeddedPostgresError) -> String in
      if let running { return running.connectionString }
      let directory = try DataDirectory.open(dataDirectory)
      do throws(EmbeddedPostgresError) {
        let started = try start(in: directory)
        running = started
        return started.connectionString
      } catch {
        leave(directory)
        throw error
      }
    }
  }

  /// Ends a server that is not ready yet, within about a second, from another thread than that of
  /// ``start()``, which returns when the server has ended: the server may wait for something in
  /// vain, and then hears only the last signal.
  public func abandonStart() {
    starting.withLock { $0 }?.abandon()
  }

  /// From now on the server is not started again: the service is about to end, and somebody who
  /// ends it may end the server, too.
  public func letEnd() {
    running.withLock { $0?.postmaster.letEnd() }
  }

  /// Stops the server (fast shutdown) and waits for its end; does nothing when it does not run.
  public func stop() {
    running.withLock { running in
      guard let ended = running.take() else { return }
      ended.postmaster.stop()
      leave(ended.directory)
    }
  }

  /// What a data directory has, for a caller that only looks: nothing is made, started or locked.
  public enum Presence: Sendable, Equatable {
    /// Nothing: a start makes a cluster.
    case absent
    /// A cluster on which no server runs.
    case stopped
    /// A server, and the connection string to it.
    case running(String)
  }

  /// Looks at a data directory.
  /// - Throws: When this machine has no PostgreSQL that reads it.
  public static func presence(in directory: String) throws(EmbeddedPostgresError) -> Presence {
    let environment = ChildEnvironment(ProcessInfo.processInfo.environment)
    let resolved = realpath(directory, nil)
    defer { free(resolved) }
    let path = resolved.map { String(cString: $0) }
    let version = path.flatMap { DataDirectory.clusterVersion(in: $0) }
    _ = try ServerPrograms.find(
      in: ServerPrograms.usualDirectories(environment: environment), majorVersion: version)
    guard let path else { return .absent }
    guard access(path, R_OK | X_OK) == 0 else { throw .failed("look into \(path)") }
    guard version != nil else { return .absent }
    let sockets = SocketDirectory.path(for: path)
    guard access("\(sockets)/\(SocketDirectory.socketName)", F_OK) == 0 else { return .stopped }
    return .running(ClusterDatabase.connectionString(socketDirectory: sockets))
  }

  private func leave(_ directory: DataDirectory) {
    if isTemporary { directory.removeAll() }
    directory.unlock()
  }

  private func start(in directory: DataDirectory) throws(EmbeddedPostgresError) -> Running {
    let environment = ChildEnvironment(ProcessInfo.processInfo.environment)
    let launcher = launcher + ServerPrograms.endingWithService(environment)
    let programs = try ServerPrograms.find(
      in: programDirectories ?? ServerPrograms.usualDirectories(environment: environment),
      majorVersion: directory.clusterVersion)

    try ClusterProcesses.stop(on: directory.cluster, within: Limits.orphanSeconds)
    try directory.requireFiles()
    if directory.clusterVersion == nil {
      try createCluster(
        directory, command: launcher + [programs.initdb], environment: environment.pairs)
    }

    // A setting of our own, which sessions can read: a restored copy of the files has another one.
    let files = ["postilion.files": directory.clusterBirth]
    let settings = ClusterSettings.settings(
      socketDirectory: directory.socketDirectory, majorVersion: directory.clusterVersion,
      overriddenBy: files.merging(settings) { $1 })
    let postmaster = Postmaster(
      launcher + [programs.postgres, "-D", directory.cluster]
        + ClusterSettings.arguments(for: settings),
      environment: environment.pairs, directory: directory, observe: { [told] in told.yield($0) })
    starting.withLock { $0 = postmaster }
    defer { starting.withLock { $0 = nil } }
    try postmaster.start()
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

  /// Makes the cluster under another name, and renames it when it is complete.
  private func createCluster(
    _ directory: DataDirectory, command: [String], environment: [String]
  ) throws(EmbeddedPostgresError) {
    try ClusterProcesses.stop(on: directory.unfinishedCluster, within: Limits.orphanSeconds)
    directory.removeUnfinishedCluster()
    let log = try directory.openLog()
    defer { close(log) }
    let process = try ChildProcess.spawn(
      command + [
        "--pgdata=\(directory.unfinishedCluster)", "--username=\(ClusterDatabase.user)",
        "--encoding=UTF8",
        // Names sort by code point: fast, and no index breaks when the C library changes.
        "--locale=C.UTF-8", "--lc-collate=C", "--lc-messages=C",
        "--auth=trust", "--no-instructions",
      ], environment: environment, output: log)
    guard ChildProcess.wait(for: process) == 0 else {
      throw .initializationFailed(reason: directory.lastComplaint, log: directory.log)
    }
    try directory.finishCluster()
  }
}
