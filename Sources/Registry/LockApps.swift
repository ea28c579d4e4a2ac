package import Postgres

/// Holds apps in place until the end of the transaction; fails with `23503` if one is gone
/// (``PostgresError/isOfMissingApp``). Whoever adds installations or tokens asks for it first:
/// these tables have no foreign key to the apps, as they may be on other servers.
package struct LockApps: Statement {
  package static let sql = "SELECT lock_apps($1)"
  /// Each once.
  package let ids: [Int32]

  /// - Parameter ids: Each once.
  package init(ids: [Int32]) {
    self.ids = ids
  }

  package func bind(to parameters: inout Parameters) { parameters.append(ids) }

  package static func decode(_ row: inout RowReader) throws(PostgresError) {}
}
