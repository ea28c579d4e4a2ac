package import Postgres

extension PostgresError {
  /// Whether one row can cause it: data, a constraint, a deadlock, or that its server is down where
  /// apps are spread over several. The rows that were asked for with it may be good.
  package var isOfOneRow: Bool { ["08", "22", "23", "40"].contains(sqlState?.prefix(2)) }

  /// Whether it was a deadlock: this transaction and others waited for each other.
  package var isOfDeadlock: Bool { sqlState == "40P01" }

  /// Whether the app of a row is gone, and with it all rows of that app. Rows of other apps may be
  /// good, so it is also an error of one row.
  package var isOfMissingApp: Bool {
    sqlState == "23503" && constraint?.hasSuffix("_app_id_fkey") == true
  }

  /// Whether the app of a row is on its way to another Postilion: `lock_apps` and
  /// `refuse_while_moving` of the schema refuse writes for it.
  package var isOfMovingApp: Bool { sqlState == "23001" && constraint == "app_moving" }
}
