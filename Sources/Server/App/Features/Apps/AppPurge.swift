internal import EventLoop
internal import Postgres

/// Removes the rows that deleted apps leave, in the background, one purge at a time. If a purge
/// cannot finish, the next maintenance removes the rest.
final class AppPurge: Sendable {
  private let purge = SharedWork<Void, Void>()

  /// Begins a purge. If one is running, another purge follows it.
  func begin(on context: LoopContext) {
    context.loop.execute { [self] in
      try? await purge.value(on: context.loop) {
        var report = MaintenanceReport()
        await report.add("The rows of deleted apps") {
          try await context.database.exclusively(lease: MaintenanceReport.lease, waits: true) {
            session in
            try await session.database.purgeDeletedApps()
          } ?? []
        }
        context.shared.observation.maintained(report)
      }
    }
  }
}

extension PostgresClient {
  /// Removes all rows of deleted apps.
  ///
  /// A call that found the app before its deletion may still write until the app's row is gone.
  /// Rows that refer to the app's row go with it. Tables whose rows do not refer to it are purged
  /// once more.
  /// - Returns: A line for each app.
  func purgeDeletedApps() async throws(PostgresError) -> [String] {
    var lines: [String] = []
    for app in try await read(.deletedApps()) {
      var rows: Int64 = 0
      func purge(_ tables: [AppTable]) async throws(PostgresError) {
        for portion in tables.compactMap({ $0.purge(app.id) }) {
          rows += try await self.purge(portion)
        }
      }
      try await purge(AppTable.all)
      _ = try await write(.purgeApp(app.id))
      try await purge(AppTable.all.filter(\.isUntied))
      lines.append("removed the deleted app \(app.slug) with \(rows) rows")
    }
    return lines
  }
}

/// An app that was deleted and may still have rows.
struct DeletedApp: Sendable {
  let id: Int32
  let slug: String
}

extension Command where Self == Query<DeletedApp> {
  static func deletedApps() -> Self {
    Query(
      "SELECT id, slug FROM app WHERE deleted_at IS NOT NULL ORDER BY id", into: DeletedApp.init)
  }
}

extension Command where Self == Query<Void> {
  /// Removes the row of a deleted app, and the rows that refer to it.
  static func purgeApp(_ id: Int32) -> Self {
    Query("DELETE FROM app WHERE id = \(id) AND deleted_at IS NOT NULL")
  }
}
