import AppTesting
import Foundation
import Postgres
import TestSupport

/// A private PostgreSQL of a test, and a hot standby that follows it.
final class StandbyCluster: Sendable {
  private let directory = "/tmp/postilion standby \(UUID().uuidString.prefix(8))"
  private let servers: [EmbeddedPostgres]
  private let isOver = DispatchSemaphore(value: 0)
  /// The database that takes changes, without a schema.
  let primary: ScratchDatabase
  /// The same one as the standby has it.
  let standby: ScratchDatabase

  init() async throws {
    let settings = [
      "fsync": "off", "synchronous_commit": "off", "shared_buffers": "16MB",
      "max_wal_size": "256MB",
      // As of servers that the service does not run itself.
      "postilion.files": "",
    ]
    let servers = ["primary", "standby"].map { [directory] name in
      EmbeddedPostgres(
        dataDirectory: PostgresAccount.directory("\(directory)/\(name)"), settings: settings,
        launcher: PostgresAccount.launcher)
    }
    self.servers = servers
    let strings = try await withCheckedThrowingContinuation { [directory, isOver] continuation in
      // The kernel stops the servers when the thread that started them ends, so this one stays.
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            let primary = try servers[0].start()
            try Self.copy(primary, to: "\(directory)/standby")
            return [primary, try servers[1].start()]
          })
        isOver.wait()
      }
    }
    let databases = strings.map { ScratchDatabase(name: "postilion", administration: $0) }
    (primary, standby) = (databases[0], databases[1])
  }

  /// Both, as `DATABASE_URL` names them; tests reach the primary.
  var both: String {
    let hosts = [primary, standby].compactMap { database in
      database.conninfo.split(separator: "host='").last?.split(separator: "'").first
    }
    return "host='\(hosts.joined(separator: ","))' port=5432 user=postilion dbname=postilion"
  }

  /// Ends the primary as a crash of its machine would.
  func endPrimary() { servers[0].stop() }

  /// Has the standby hear of nothing more.
  func cutOffStandby() async throws {
    try await standby.query("ALTER SYSTEM SET primary_conninfo = ''")
    try await standby.query("SELECT pg_reload_conf()")
    while try await standby.value("SELECT count(*) FROM pg_stat_wal_receiver") != "0" {}
  }

  /// Has the standby take changes; on return it does.
  func promoteStandby() async throws { try await standby.query("SELECT pg_promote()") }

  /// Ends the standby as a crash of its machine would.
  func endStandby() { servers[1].stop() }

  func stop() {
    for server in servers.reversed() { server.stop() }
    isOver.signal()
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// Fills the data directory of a standby, for the account that runs servers.
  private static func copy(_ conninfo: String, to directory: String) throws {
    let cluster = "\(directory)/cluster"
    let script = """
      PATH="$PATH:$(echo /usr/lib/postgresql/*/bin)"
      touch '\(directory)/lock'
      pg_basebackup -d "$1" -D '\(cluster)' -R -X stream -c fast --no-sync
      chown -R --reference='\(directory)/../primary/cluster' '\(directory)'
      """
    let process = try Process.run(
      URL(filePath: "/bin/sh"), arguments: ["-ec", script, "sh", conninfo])
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Refusal(description: "pg_basebackup ended with \(process.terminationStatus)")
    }
  }

  private struct Refusal: Error { let description: String }
}
