import EventLoop
import Foundation
import Glibc
import TestSupport

@testable import Postgres

/// The PostgreSQL that all tests of the process share: made when the first one asks, gone with the
/// process.
enum ScratchServer {
  private static let parent = "/tmp/postilion tests"
  private static let directory = "\(parent)/scratch-\(getpid())"
  private static let server = make("\(directory)/data")
  private static let started = Result { () throws(EmbeddedPostgresError) -> String in
    removeLeftovers()
    atexit {
      ScratchServer.server.stop()
      try? FileManager.default.removeItem(atPath: ScratchServer.directory)
    }
    return try server.start()
  }

  /// Its connection string.
  static var conninfo: String { get throws { try started.get() } }

  /// The same, as clients take it.
  static var address: DatabaseAddress { get throws { try DatabaseAddress(conninfo) } }

  /// Another server, fast and forgetful.
  static func make(_ directory: String) -> EmbeddedPostgres {
    make(
      directory,
      [
        "fsync": "off", "full_page_writes": "off", "synchronous_commit": "off",
        "shared_buffers": "16MB", "max_wal_size": "256MB",
      ])
  }

  /// A server with other settings.
  static func make(_ directory: String, _ settings: [String: String]) -> EmbeddedPostgres {
    EmbeddedPostgres(
      dataDirectory: PostgresAccount.directory(directory), settings: settings,
      launcher: PostgresAccount.launcher)
  }

  /// Runs a command on a connection of its own.
  static func execute(_ command: String) throws {
    if let reason = ClusterDatabase.execute(command, on: try conninfo) {
      throw PostgresError(.misuse, reason)
    }
  }

  /// What processes left that were killed.
  private static func removeLeftovers() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names {
      guard name.hasPrefix("scratch-"), let process = pid_t(name.dropFirst(8)),
        kill(process, 0) != 0, errno == ESRCH
      else { continue }
      try? FileManager.default.removeItem(atPath: "\(parent)/\(name)")
    }
  }
}
