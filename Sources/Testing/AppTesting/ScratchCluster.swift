internal import App
internal import Crypto
internal import Foundation
internal import Postgres
internal import Synchronization
internal import TestSupport

/// A private PostgreSQL of this test process, without durability, in a temporary directory: started
/// when first asked for, stopped and removed when the process ends.
///
/// With `POSTILION_TEST_DATABASE_URL`, any PostgreSQL whose account may make databases: another
/// version, or one behind a pooler. What was made there is dropped when the process ends.
///
/// With `POSTILION_TEST_ROLES=1` services have the rights that `sql/roles.sql` gives them, and no
/// others.
public enum ScratchCluster {
  private struct Server: Sendable {
    let postgres: EmbeddedPostgres
    let directory: String
    let conninfo: String
  }

  private static let given = ProcessInfo.processInfo.environment["POSTILION_TEST_DATABASE_URL"]
  private static let hasRoles =
    ProcessInfo.processInfo.environment["POSTILION_TEST_ROLES"] == "1"
  private static let running = Mutex<Server?>(nil)
  private static let counter = Atomic<Int>(0)

  /// The connection string to the cluster's own database.
  private static let started = Task { () async throws -> String in
    try await withCheckedThrowingContinuation { continuation in
      // The kernel stops the server when the thread that started it ends, so this one stays.
      Thread.detachNewThread {
        continuation.resume(with: Swift.Result { try start() })
        while true { sleep(3600) }
      }
    }
  }

  private static func start() throws -> String {
    // Before libpq, which would let libcrypto end before the connections do.
    _ = SHA256.hash("")
    if let given {
      // A cluster of Citus ends with the tests.
      if !isDistributed { atexit { ScratchCluster.dropDatabases() } }
      return try ScratchDatabase.keywords(of: given)
    }
    let directory = "/tmp/postilion-tests-\(ProcessInfo.processInfo.processIdentifier)"
    let postgres = EmbeddedPostgres(
      dataDirectory: PostgresAccount.directory(directory),
      settings: [
        "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
        "max_connections": "1000", "shared_buffers": "64MB", "autovacuum": "off",
      ], launcher: PostgresAccount.launcher)
    let conninfo = try postgres.start()
    running.withLock {
      $0 = Server(postgres: postgres, directory: directory, conninfo: conninfo)
    }
    atexit {
      guard let server = ScratchCluster.running.withLock({ $0 }) else { return }
      server.postgres.stop()
      try? FileManager.default.removeItem(atPath: server.directory)
    }
    return conninfo
  }

  /// The database that all others are copies of: empty, with the current schema.
  private static let template = Task {
    let name = try await migrated("migrated", hasRoles: hasRoles).name
    if isDistributed {
      try await ScratchCitus.seal(name, on: [try await started.value] + ScratchCitus.workers)
    }
    return name
  }

  /// Whether its server processes are children of the tests, which may send them signals.
  public static let isPrivate = given == nil

  /// Whether Citus spreads the tables of migrated databases.
  public static let isDistributed = !ScratchCitus.workers.isEmpty

  /// A fresh database.
  /// - Parameter isMigrated: Whether it has the current schema.
  public static func database(isMigrated: Bool = true) async throws -> ScratchDatabase {
    let template = isMigrated ? try await template.value : "template1"
    let database = try await make(nextName, from: template, hasRoles: isMigrated && hasRoles)
    if isMigrated { try await ScratchCitus.copy(template, to: database.name) }
    return database
  }

  /// A fresh database with the current schema and the roles of `sql/roles.sql`.
  public static func databaseWithRoles() async throws -> ScratchDatabase {
    try await migrated(nextName, hasRoles: true)
  }

  private static var nextName: String {
    "scratch_\(counter.add(1, ordering: .relaxed).newValue)"
  }

  /// A database that is made as operators make theirs.
  private static func migrated(_ name: String, hasRoles: Bool) async throws -> ScratchDatabase {
    let database = try await make(name, from: "template1", hasRoles: hasRoles)
    if hasRoles { try await giveRoles(to: database) }
    _ = try await Service.migrate(DatabaseAddress(database.owner))
    if isDistributed {
      try await clusterGate.pass { try await ScratchCitus.distribute(database) }
    }
    return database
  }

  /// Runs `sql/roles.sql` in a database.
  public static func giveRoles(to database: ScratchDatabase) async throws {
    try await clusterGate.pass {
      _ = try await database.query(
        String(contentsOf: repository.appending(path: "sql/roles.sql"), encoding: .utf8))
    }
  }

  /// Roles belong to the whole cluster, and Citus gives them to the workers of each database: two
  /// databases that make or spread them at once meet.
  private static let clusterGate = Gate(width: 1)

  private static let prefix = "postilion_test_\(ProcessInfo.processInfo.processIdentifier)_"

  /// Makes a database, under a name that no other process uses.
  private static func make(
    _ name: String, from template: String, hasRoles: Bool
  ) async throws -> ScratchDatabase {
    let name = prefix + name
    try await query("CREATE DATABASE \(name) TEMPLATE \(template)")
    made.withLock { $0.append(name) }
    return ScratchDatabase(
      name: name, administration: "\(try await started.value) dbname='\(name)'",
      hasRoles: hasRoles)
  }

  private static let made = Mutex<[String]>([])

  private static func dropDatabases() {
    for name in made.withLock({ $0 }) {
      _ = try? ScratchDatabase.query("DROP DATABASE \(name) WITH (FORCE)", on: given ?? "")
    }
  }

  /// Runs commands in the cluster's own database.
  @discardableResult
  public static func query(_ commands: String) async throws -> [[String?]] {
    try await ScratchDatabase(name: "postilion", administration: try await started.value)
      .query(commands)
  }
}

/// The root of the repository that this was compiled in.
let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
