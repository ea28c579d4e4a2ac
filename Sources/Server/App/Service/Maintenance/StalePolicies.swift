internal import Postgres

/// The number of days without a call after which installations of an app go by themselves.
struct StalePolicy: Sendable {
  let appID: Int32
  let slug: String
  let days: Int
}

extension Command where Self == Query<StalePolicy> {
  /// The policies of the apps that have one.
  static func stalePolicies() -> Self {
    Query(
      """
      SELECT id, slug, stale_after_days FROM app
      WHERE stale_after_days IS NOT NULL AND deleted_at IS NULL AND moving IS NULL
      ORDER BY id
      """
    ) { row in
      StalePolicy(
        appID: try row.next(), slug: try row.next(), days: Int(try row.next(Int32.self)))
    }
  }
}

extension Command where Self == Query<Void> {
  /// Stores the time from which on all changes are kept, before older changes go. So a reader that
  /// has yet to read the older changes does not go on as if there had been none.
  static func keepChanges(since time: Timestamp) -> Self {
    Query("UPDATE change_epoch SET kept_since = \(time) WHERE kept_since < \(time)")
  }
}
