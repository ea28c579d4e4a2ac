internal import Postgres

/// The apps whose stale installations go by themselves.
struct StalePolicies: Statement {
  static let sql = """
    SELECT id, slug, stale_after_days FROM app
    WHERE stale_after_days IS NOT NULL AND deleted_at IS NULL ORDER BY id
    """

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (appID: Int32, slug: String, days: Int) {
    (try row.next(), try row.next(), Int(try row.next(Int32.self)))
  }
}
