internal import EventLoop

/// Finds out who is in the way of a migration, over a connection of its own.
struct MigrationWatcher {
  /// The process of the server that migrates.
  let process: String
  private let session: Session
  private let address: DatabaseAddress
  private var isOpen = false
  private var last = ""
  private var toldAt: UInt64 = 0
  private let loop: EventLoop
  /// How long the next attempt waits for a lock. PostgreSQL ends an autovacuum that is in the way
  /// after a second (`deadlock_timeout`), so once an autovacuum is seen there, one attempt waits
  /// for that.
  private(set) var lockMilliseconds = LockLimits.milliseconds

  /// Connects when there is a question.
  init(_ address: DatabaseAddress, of process: String, _ loop: EventLoop) {
    self.process = process
    self.address = address
    self.loop = loop
    session = Session(loop: loop)
    session.silenceNanoseconds = Limits.connectEachNanoseconds
  }

  /// The lock that a process waits for, and its holders, as SQL.
  static func blockers(of process: String) -> String {
    """
    SELECT coalesce((
        SELECT coalesce(relation::regclass::text, locktype) FROM pg_locks
        WHERE pid = \(process) AND NOT granted LIMIT 1), 'a lock') || ', ',
      holder, application_name, usename
    FROM (SELECT DISTINCT unnest(pg_blocking_pids(\(process))) AS holder) AS blocking
    LEFT JOIN pg_stat_activity ON pid = holder ORDER BY holder
    """
  }

  /// The holder of the lock by which instances take turns, as SQL.
  static func turn(_ lock: Int) -> String {
    """
    SELECT '', pid, application_name, usename FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND objsubid = 1
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (classid::bigint << 32 | objid::bigint) = \(lock)
    """
  }

  /// The processes in the way, if they are others than the last time or a minute has passed.
  /// - Returns: `held by 123 (pg_dump)`; nil also when nobody can tell.
  mutating func news(_ question: String) async -> String? {
    var rows: [[String?]] = []
    do throws(PostgresError) {
      if !isOpen { try await session.open(address) }
      isOpen = true
      rows = try await session.run(question)
    } catch {}
    lockMilliseconds =
      !rows.isEmpty && rows.allSatisfy { $0[1] != "0" && $0[3] == nil }
      ? Limits.migrationVacuumLockMilliseconds : LockLimits.milliseconds
    guard let first = rows.first else { return nil }
    let holders = rows.map { row in
      // Vacuum and its like have no account; transactions that are prepared have no process.
      let isPrepared = row[1] == "0"
      let name = isPrepared ? "prepared" : row[3] == nil ? "autovacuum" : row[2] ?? ""
      return "\(isPrepared ? "a transaction" : row[1] ?? "") (\(name.isEmpty ? "unnamed" : name))"
    }
    let text = "\(first[0] ?? "")held by \(holders.joined(separator: ", "))"
    guard text != last || loop.nanoseconds > toldAt + Limits.migrationNewsNanoseconds else {
      return nil
    }
    last = text
    toldAt = loop.nanoseconds
    return text
  }

  func close() { session.close() }
}
