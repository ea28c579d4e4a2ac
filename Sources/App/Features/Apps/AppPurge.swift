internal import EventLoop
internal import Postgres
internal import Synchronization

/// Removes what deleted apps leave, in the background, one purge at a time. What it cannot finish
/// the next maintenance does.
final class AppPurge: Sendable {
  /// Rests until it is asked for; a purge that is asked for while one runs follows it.
  private enum PurgePhase { case resting, running, runningAndWanted }
  private let phase = Mutex(PurgePhase.resting)

  /// Begins, or goes on for another app.
  func begin(on context: LoopContext) {
    let isFirst = phase.withLock { phase in
      defer { phase = phase == .resting ? .running : .runningAndWanted }
      return phase == .resting
    }
    guard isFirst else { return }
    context.loop.execute { [self] in
      repeat {
        var report = MaintenanceReport()
        await report.add("The rows of deleted apps") {
          try await context.database.exclusively(lease: MaintenanceReport.lease, waits: true) {
            session in
            try await session.database.purgeDeletedApps()
          } ?? []
        }
        context.shared.observation.maintained(report)
      } while isWantedAgain()
    }
  }

  private func isWantedAgain() -> Bool {
    phase.withLock { phase in
      defer { phase = phase == .runningAndWanted ? .running : .resting }
      return phase == .runningAndWanted
    }
  }
}

extension PostgresClient {
  /// Removes all rows of deleted apps.
  ///
  /// A call that found the app before it was deleted may still write. What it wrote goes with the
  /// app's row, behind which it can write no more; history and failures, which do not refer to that
  /// row, are looked for once more.
  /// - Returns: A line for each app.
  func purgeDeletedApps() async throws(PostgresError) -> [String] {
    var lines: [String] = []
    for (id, slug) in try await read(DeletedApps()) {
      var rows = try await purge(PurgeHistory(appID: id))
      rows += try await purge(PurgeAppHistory(appID: id))
      rows += try await purge(PurgeFailures(appID: id))
      rows += try await purge(PurgeTokens(appID: id))
      rows += try await purge(PurgeInstallations(appID: id))
      rows += try await purge(PurgeSightings(appID: id))
      rows += try await purge(PurgeUserLanguages(appID: id))
      rows += try await purge(PurgeClaimCodes(appID: id))
      rows += try await purge(PurgeCatalog(appID: id))
      _ = try await write(PurgeApp(id: id))
      rows += try await purge(PurgeHistory(appID: id))
      rows += try await purge(PurgeAppHistory(appID: id))
      rows += try await purge(PurgeFailures(appID: id))
      lines.append("removed the deleted app \(slug) with \(rows) rows")
    }
    return lines
  }
}
