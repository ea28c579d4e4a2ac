public import EventLoop

/// One step of the schema: applied once, in one transaction, never edited after its release.
public struct Migration: Sendable {
  /// Its name, `m0001_registry`; steps run in the order of their names.
  public let name: String
  /// Its statements, without `BEGIN` and `COMMIT`.
  public let sql: String

  /// A step.
  public init(name: String, sql: String) {
    self.name = name
    self.sql = sql
  }
}

/// Applies pending migrations, one instance at a time under an advisory lock.
///
/// A database that is ahead of this program is left alone: during a rolling update old instances
/// go on serving.
/// - Returns: The names of those applied.
/// - Throws: ``PostgresError``; the failing step has left nothing behind.
public func migrate(
  _ address: DatabaseAddress, _ migrations: [Migration], loop: EventLoop
) async throws(PostgresError) -> [String] {
  let session = Session(loop: loop)
  try await session.open(address)
  defer { session.close() }
  try await session.requireProcessOfItsOwn(address, loop: loop)
  // "postilio" in ASCII: any constant will do, so long as every instance uses the same.
  let lock = 8_102_099_357_864_587_631
  try await session.run("SELECT pg_advisory_lock(\(lock))")
  // An account that only serves may make no table, also none that is there already.
  if try await session.run("SELECT to_regclass('schema_migration')") == [[nil]] {
    try await session.run(
      """
      CREATE TABLE schema_migration (
        name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())
      """)
  }
  let applied = Set(
    try await session.run("SELECT name FROM schema_migration").compactMap { $0.first ?? nil })
  var names: [String] = []
  for migration in migrations.sorted(by: { $0.name < $1.name })
  where !applied.contains(migration.name) {
    try await session.run(
      """
      BEGIN;
      \(migration.sql)
      ;
      INSERT INTO schema_migration (name) VALUES ('\(migration.name)');
      COMMIT
      """)
    names.append(migration.name)
  }
  // The server hears of a closed session some time later; an instance that waits goes on at once.
  try await session.run("SELECT pg_advisory_unlock(\(lock))")
  return names
}
