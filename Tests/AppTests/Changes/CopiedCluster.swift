import AppTesting
import Foundation
import Postgres
import Synchronization
import TestSupport

/// A private PostgreSQL whose files can be copied, in each way that docs/operations.md has, and
/// served in place of it.
final class CopiedCluster: Sendable {
  /// How the copy is made, and whose files they are.
  enum Way: String, CaseIterable, Sendable {
    /// `cp --archive` of a server that has stopped; it then goes on.
    case stopped
    /// The same beside a running one, as a snapshot of a volume is: files and log of one moment.
    case running
    /// `pg_basebackup`.
    case baseBackup
  }

  private let directory = "/tmp/postilion copy \(UUID().uuidString.prefix(8))"
  private let settings: [String: String]
  private let server = Mutex<EmbeddedPostgres?>(nil)
  /// The kernel stops a server when the thread that started it ends, so this one stays.
  private let jobs = Mutex<[@Sendable () -> Void]>([])
  private let news = DispatchSemaphore(value: 0)

  /// - Parameter knowsFiles: Whether the service sees that the files are a copy, as it does where
  ///   it runs the server itself.
  init(knowsFiles: Bool) {
    var settings = ["shared_buffers": "16MB", "max_wal_size": "256MB"]
    if !knowsFiles { settings["postilion.files"] = "" }
    self.settings = settings
    Thread.detachNewThread { [self] in
      while true {
        news.wait()
        guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
        job()
      }
    }
  }

  private func work<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      jobs.withLock { $0.append { continuation.resume(with: Result { try body() }) } }
      news.signal()
    }
  }

  /// Starts a server on the files of this name.
  func start(_ name: String = "first") async throws -> ScratchDatabase {
    let conninfo = try await work { [self] in
      let started = EmbeddedPostgres(
        dataDirectory: PostgresAccount.directory("\(directory)/\(name)"), settings: settings,
        launcher: PostgresAccount.launcher)
      server.withLock { $0 = started }
      return try started.start()
    }
    return ScratchDatabase(name: "postilion", administration: conninfo)
  }

  /// Stops the server.
  func stop() async throws {
    try await work { [self] in server.withLock { $0.take() }?.stop() }
  }

  /// Copies the files under another name.
  func copy(_ way: Way, of database: ScratchDatabase) async throws {
    let command =
      way == .baseBackup
      ? "pg_basebackup -d \"$1\" -D cluster -X stream -c fast --no-sync"
      : "cp --archive ../first/cluster . && rm -f cluster/postmaster.pid"
    let script = """
      PATH="$PATH:$(echo /usr/lib/postgresql/*/bin)"
      mkdir -m 700 '\(directory)/copy' && cd '\(directory)/copy' && touch lock
      \(command)
      chown -R --reference=../first/cluster .
      """
    try await blocking {
      let process = try Process.run(
        URL(filePath: "/bin/sh"), arguments: ["-ec", script, "sh", database.conninfo])
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw Refusal() }
    }
  }

  /// Ends everything and removes the files.
  func remove() async throws {
    try await stop()
    news.signal()
    try FileManager.default.removeItem(atPath: directory)
  }

  private struct Refusal: Error {}
}
