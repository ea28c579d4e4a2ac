internal import EventLoop
internal import Postgres
internal import Registry

/// The service's own tidying: it makes partitions of the coming months, and removes the data that
/// the policies do not keep. All of it may be broken off and done again, also while another
/// instance does the same, such as an instance that was frozen.
struct Maintenance: Sendable {
  let context: LoopContext
  /// How long history, failures and audit log are kept.
  let retentionMonths: Int
  /// Between two attempts at a lock; tests have something happen in it.
  var pause: @Sendable () async -> Void

  init(context: LoopContext, retentionMonths: Int) {
    self.context = context
    self.retentionMonths = retentionMonths
    pause = { [loop = context.loop] in
      await loop.sleep(nanoseconds: Limits.partitionPauseNanoseconds)
    }
  }

  /// Does all the tidying.
  /// - Returns: `nil` when another instance is tidying up.
  func run() async throws -> MaintenanceReport? {
    try await context.database.exclusively(lease: MaintenanceReport.lease, waits: false) {
      session in
      let now = context.shared.clock().wholeMilliseconds
      var report = MaintenanceReport()
      guard await announce(session.database, now, &report) else { return report }
      for table in PartitionedTable.all { await partition(table, session, now, &report) }
      await purgeOld(session.database, now, &report)
      await report.add("The rows of deleted apps") { try await session.database.purgeDeletedApps() }
      await report.add("Stale installations") { try await purgeStale(session.database, now) }
      await report.add("Sightings of nobody") { try await purgeSightings(session) }
      return report
    }
  }

  /// Tells readers of the feed of changes which changes will be gone. The feed may tell changes
  /// that are a little younger before older ones.
  /// - Returns: `false` when the readers cannot be told; then no change may go.
  private func announce(
    _ database: PostgresClient, _ now: Timestamp, _ report: inout MaintenanceReport
  ) async -> Bool {
    let cutoff = PartitionChange.cutoff(now, keeping: retentionMonths)
    let failures = report.failed.count
    await report.add("The end of old changes") {
      _ = try await database.write(
        .keepChanges(since: cutoff.advanced(by: Limits.changeDisorder)))
      return []
    }
    return report.failed.count == failures
  }

  // MARK: Partitions

  private func partition(
    _ table: PartitionedTable, _ session: ExclusiveSession, _ now: Timestamp,
    _ report: inout MaintenanceReport
  ) async {
    var changes: [PartitionChange] = []
    await report.add("The partitions of \(table.name)") {
      let names = try await session.run(
        """
        SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid
        WHERE inhparent = '\(table.name)'::regclass
        """)
      changes = PartitionChange.changes(
        of: table, existing: Set(names.compactMap { $0.first ?? nil }), now: now,
        keeping: retentionMonths)
      return []
    }
    for change in changes {
      await report.add("The change \"\(change)\"") {
        [try await apply(change, session) ? "\(change)" : "too much to move; not \(change)"]
      }
    }
  }

  /// Makes a change as soon as its locks are free. It waits for them only briefly, because other
  /// transactions wait behind it. Then it lets them pass before it tries again.
  /// - Returns: `false` when the change takes too long, as it may in the first month of a large
  ///   registry. The rows then stay in the default partition, and another attempt holds up others
  ///   only once a day.
  private func apply(_ change: PartitionChange, _ session: ExclusiveSession) async throws -> Bool {
    for attempt in 1...Limits.partitionAttempts {
      do throws(PostgresError) {
        try await session.run(
          """
          SET LOCAL lock_timeout = \(LockLimits.milliseconds);
          SET LOCAL statement_timeout = \(Limits.partitionStatementMilliseconds);
          \(change.sql)
          """)
        return true
      } catch {
        if error.sqlState == "57014" { return false }
        guard error.sqlState == "55P03", attempt < Limits.partitionAttempts else { throw error }
        await pause()
      }
    }
    return false
  }

  // MARK: Rows

  private func purgeOld(
    _ database: PostgresClient, _ now: Timestamp, _ report: inout MaintenanceReport
  ) async {
    func purge(_ what: String, _ portion: Query<Int64>) async {
      await report.add("Old \(what)") {
        let count = try await database.purge(portion)
        return count > 0 ? ["removed \(count) old \(what)"] : []
      }
    }
    let cutoff = PartitionChange.cutoff(now, keeping: retentionMonths)
    // Rows that are in no month's partition.
    for table in PartitionedTable.all {
      await purge(
        table.contents,
        .purge("\(table.name)_default", where: "\(constant: table.column) < \(cutoff)"))
    }
    let codes = now.before(days: Limits.claimCodeDays)
    await purge("claim codes", .purge("claim_code", where: "made_at < \(codes)"))
    let moves = now.before(days: Limits.movedDays)
    await purge("places of moved changes", .purge("moved_change", where: "moved_at < \(moves)"))
    let tokens = now.before(days: Limits.givenUpTokenDays)
    await purge(
      "tokens without an owner",
      .purge(
        "token_owner", where: "installation_id IS NULL AND registered_at < \(tokens)",
        by: "registered_at"))
  }

  private func purgeSightings(_ session: ExclusiveSession) async throws -> [String] {
    let rows = try await session.run(
      """
      WITH gone AS (
        \(LeftOverSightings.deletion)
        RETURNING s.app_id)
      SELECT count(*) FROM gone
      """)
    guard let count = rows.first?.first ?? nil, count != "0" else { return [] }
    return ["removed \(count) sightings of installations that are gone"]
  }

  private func purgeStale(_ database: PostgresClient, _ now: Timestamp) async throws -> [String] {
    var lines: [String] = []
    for policy in try await database.read(.stalePolicies()) {
      let purged = try await context.registrar.purgeStale(
        appID: policy.appID, notSeenDays: policy.days, now: now)
      guard purged.installations > 0 else { continue }
      lines.append("removed \(purged.installations) stale installations of \(policy.slug)")
    }
    return lines
  }
}
