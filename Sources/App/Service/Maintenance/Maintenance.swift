internal import EventLoop
internal import Postgres
internal import Registry

/// The service's own tidying: partitions of the coming months, and the end of what the policies do
/// not keep. Everything in it may be broken off and done again, also while another instance is at
/// it, as one that was frozen.
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

  /// Does all there is to do.
  /// - Returns: `nil` when another instance is at it.
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

  /// Tells readers of the feed of changes what will be gone. Changes that are a little younger may
  /// be told before older ones.
  /// - Returns: `false` when they cannot be told; then nothing may go.
  private func announce(
    _ database: PostgresClient, _ now: Timestamp, _ report: inout MaintenanceReport
  ) async -> Bool {
    let cutoff = PartitionChange.cutoff(now, keeping: retentionMonths)
    let failures = report.failed.count
    await report.add("The end of old changes") {
      _ = try await database.write(
        KeepChangesSince(time: cutoff.advanced(by: Limits.changeDisorder)))
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

  /// Makes a change as soon as its locks are free. It waits for them only briefly, as whoever comes
  /// behind it waits too, and then lets the others pass before it tries again.
  /// - Returns: `false` when it takes too long, as it may in the first month of a large registry:
  ///   the rows stay in the default partition, and nobody waits for another attempt but once a day.
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
    func purge(_ what: String, _ portion: some PurgePortion) async {
      await report.add("Old \(what)") {
        let count = try await database.purge(portion)
        return count > 0 ? ["removed \(count) old \(what)"] : []
      }
    }
    let cutoff = PartitionChange.cutoff(now, keeping: retentionMonths)
    await purge("events of tokens", PurgeOldHistory(before: cutoff))
    await purge("events of apps", PurgeOldAppHistory(before: cutoff))
    await purge("failures", PurgeOldFailures(before: cutoff))
    await purge("entries of the audit log", PurgeOldAudits(before: cutoff))
    await purge("claim codes", PurgeOldClaimCodes(before: now.before(days: Limits.claimCodeDays)))
    await purge(
      "tokens without an owner",
      PurgeGivenUpTokens(before: now.before(days: Limits.givenUpTokenDays)))
  }

  /// Deletes sightings that were written down while their installations were deleted.
  private func purgeSightings(_ session: ExclusiveSession) async throws -> [String] {
    let rows = try await session.run(
      """
      WITH gone AS (
        DELETE FROM sighting WHERE (app_id, installation_id) IN (
          SELECT app_id, installation_id FROM sighting
          EXCEPT SELECT app_id, installation_id FROM installation)
        RETURNING app_id)
      SELECT count(*) FROM gone
      """)
    guard let count = rows.first?.first ?? nil, count != "0" else { return [] }
    return ["removed \(count) sightings of installations that are gone"]
  }

  private func purgeStale(_ database: PostgresClient, _ now: Timestamp) async throws -> [String] {
    var lines: [String] = []
    for policy in try await database.read(StalePolicies()) {
      let purged = try await context.registrar.purgeStale(
        appID: policy.appID, notSeenDays: policy.days, now: now)
      guard purged.installations > 0 else { continue }
      lines.append("removed \(purged.installations) stale installations of \(policy.slug)")
    }
    return lines
  }
}
