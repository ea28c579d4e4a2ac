internal import Foundation

/// The workers of the Citus cluster that `Tests/Citus/citus.py` starts for `make test-citus`. The
/// scratch cluster is its coordinator then, and each migrated database is distributed over them.
enum ScratchCitus {
  /// The strings that lead to the workers; none without such a cluster.
  static let workers: [String] = {
    let list = ProcessInfo.processInfo.environment["POSTILION_TEST_CITUS_WORKERS"] ?? ""
    return list.split(separator: ";").map(String.init)
  }()

  /// Spreads the tables of a database, as operators do.
  static func distribute(_ database: ScratchDatabase) async throws {
    try await database.query("CREATE EXTENSION citus")
    let own = try await database.value("SELECT inet_server_port()") ?? ""
    try await database.query("SELECT citus_set_coordinator_host('127.0.0.1', \(own))")
    for worker in workers {
      try await query("CREATE DATABASE \(database.name)", on: worker)
      let part = "\(worker) dbname='\(database.name)'"
      try await query("CREATE EXTENSION citus", on: part)
      let port = try await query("SELECT inet_server_port()", on: part).first?.first ?? nil
      try await database.query("SELECT citus_add_node('127.0.0.1', \(port ?? ""))")
    }
    try await database.query(
      String(contentsOf: repository.appending(path: "sql/citus.sql"), encoding: .utf8))
  }

  /// Closes a database for good, so that it can be copied: Citus has a process in each.
  static func seal(_ name: String, on servers: [String]) async throws {
    for server in servers {
      try await query("ALTER DATABASE \(name) ALLOW_CONNECTIONS false", on: server)
      try await query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'",
        on: server)
    }
  }

  /// Copies the parts of a database that the workers have.
  static func copy(_ template: String, to name: String) async throws {
    for worker in workers {
      try await query("CREATE DATABASE \(name) TEMPLATE \(template)", on: worker)
    }
  }

  @discardableResult
  private static func query(_ commands: String, on conninfo: String) async throws -> [[String?]] {
    try await blocking { try ScratchDatabase.query(commands, on: conninfo) }
  }
}
