public import EventLoop

/// Applies pending migrations, one instance at a time.
///
/// A database that is ahead of this program is left alone: during a rolling update old instances go
/// on serving. A database whose table `least_program` names a later step than the program knows is
/// refused. A step waits for a lock only briefly, as every statement behind it waits, too; then it
/// lets the others pass and begins again, until it succeeds or is told to stop.
/// - Returns: The names of the steps that were applied.
/// - Throws: ``PostgresError``, `outdated` when the program is too old for the schema; the failing
///   step has left nothing behind.
public func migrate(
  _ address: DatabaseAddress, _ migrations: [Migration], loop: EventLoop,
  stop: MigrationStop = MigrationStop(), observe: (MigrationEvent) -> Void = { _ in }
) async throws(PostgresError) -> [String] {
  let session = Session(loop: loop)
  try await session.open(address)
  defer { session.close() }
  try await session.requireProcessOfItsOwn(address, loop: loop)
  // The server ends the session of a client that hangs, and the statement of a client that is gone.
  for setting in ["idle_session_timeout = '60s'", "client_connection_check_interval = '1s'"] {
    // A server on a system that cannot notice goes on as it did.
    _ = try? await session.run("SET \(setting)")
  }
  stop.begins(session.cancellation())
  defer { stop.ends() }
  var run = MigrationRun(
    session: session, watcher: MigrationWatcher(address, of: try await session.backend(), loop),
    stop: stop, loop: loop)
  defer { run.watcher.close() }
  return try await run.apply(migrations.sorted { $0.name < $1.name }, observe)
}

/// The steps of one session.
private struct MigrationRun {
  // "postilio" in ASCII: any constant will do, so long as every instance uses the same.
  private static let lock = 8_102_099_357_864_587_631

  let session: Session
  var watcher: MigrationWatcher
  let stop: MigrationStop
  let loop: EventLoop

  mutating func apply(
    _ migrations: [Migration], _ observe: (MigrationEvent) -> Void
  ) async throws(PostgresError) -> [String] {
    guard let first = try await pending(migrations).first else { return [] }
    while try await session.run("SELECT pg_try_advisory_lock(\(Self.lock))") != [["t"]] {
      try await pause(Limits.turnNanoseconds)
      if let holder = await watcher.news(MigrationWatcher.turn(Self.lock)) {
        observe(.waits(first, for: "its turn, \(holder)"))
      }
    }
    // An account that only serves may make no table, also none that is there already.
    if try await session.run("SELECT to_regclass('schema_migration')") == [[nil]] {
      try await session.run(
        """
        CREATE TABLE schema_migration (
          name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())
        """)
    }
    let pending = try await pending(migrations)
    for migration in pending {
      observe(.begins(migration))
      try await apply(migration, observe)
      observe(.applied(migration))
    }
    // The server hears of a closed session some time later; an instance that waits goes on at once.
    try await session.run("SELECT pg_advisory_unlock(\(Self.lock))")
    return pending.map(\.name)
  }

  /// The steps that are not applied. An instance that finds none does not wait for its turn:
  /// another program may be at a step for as long as somebody is in its way.
  private func pending(_ migrations: [Migration]) async throws(PostgresError) -> [Migration] {
    try await refuseNewerSchema(migrations)
    if try await session.run("SELECT to_regclass('schema_migration')") == [[nil]] {
      return migrations
    }
    let names = try await session.run("SELECT name FROM schema_migration")
    let applied = Set(names.compactMap { $0.first ?? nil })
    return migrations.filter { !applied.contains($0.name) }
  }

  private func refuseNewerSchema(_ migrations: [Migration]) async throws(PostgresError) {
    guard try await session.run("SELECT to_regclass('least_program')") != [[nil]] else { return }
    let least = try await session.run("SELECT step FROM least_program").first?.first ?? nil
    let known = migrations.map(\.name)
    if let fault = Migration.fault(ofLeast: least ?? "", known: known) {
      throw PostgresError(.outdated, fault)
    }
  }

  private mutating func apply(
    _ migration: Migration, _ observe: (MigrationEvent) -> Void
  ) async throws(PostgresError) {
    let record = "INSERT INTO schema_migration (name) VALUES ('\(migration.name)')"
    guard migration.isInPortions else {
      _ = try await commit("\(migration.sql)\n;\n\(record)", of: migration, observe)
      return
    }
    while try await commit(migration.sql, of: migration, observe) != [["0"]] {}
    _ = try await commit(record, of: migration, observe)
  }

  /// Commits commands, and tries again as long as others are in their way.
  private mutating func commit(
    _ commands: String, of migration: Migration, _ observe: (MigrationEvent) -> Void
  ) async throws(PostgresError) -> [[String?]] {
    var isBlocked = false
    while true {
      try refuseWhenStopped()
      let began = loop.nanoseconds
      do throws(PostgresError) {
        try session.start(
          """
          BEGIN;
          SET LOCAL lock_timeout = \(watcher.lockMilliseconds);
          \(commands)
          ;
          COMMIT
          """)
        // The holders of a lock are seen only while the step waits: it gets in line, then we look.
        if isBlocked {
          await loop.sleep(nanoseconds: Limits.migrationLookNanoseconds)
          if let holder = await watcher.news(MigrationWatcher.blockers(of: watcher.process)) {
            observe(.waits(migration, for: holder))
          }
        }
        return try await session.finish()
      } catch {
        guard ["55P03", "40P01"].contains(error.sqlState) else { throw error }
        try await session.run("ROLLBACK")
      }
      isBlocked = true
      // The work that a long step did in vain leaves dead rows: they are to stay few.
      let took = loop.nanoseconds - began
      try await pause(
        min(max(Limits.migrationPauseNanoseconds, 2 * took), Limits.migrationLongPauseNanoseconds))
    }
  }

  private func pause(_ nanoseconds: UInt64) async throws(PostgresError) {
    await loop.sleep(nanoseconds: nanoseconds)
    try refuseWhenStopped()
  }

  private func refuseWhenStopped() throws(PostgresError) {
    guard !stop.isAsked else { throw PostgresError(.misuse, "the migration was given up") }
  }
}
