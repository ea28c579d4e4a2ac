import Postgres

/// Deletes a portion of what is to go, at most about ``Limits/purgePortion`` rows, and answers how
/// many: millions in one statement would outlast its time and hold their locks for all of it.
protocol PurgePortion: Statement where Row == Int64 {
  associatedtype Bound: PostgresValue
  /// The value of `$1`.
  var bound: Bound { get }
}

extension PurgePortion {
  func bind(to parameters: inout Parameters) { parameters.append(bound, Limits.purgePortion) }

  /// Deletes the first `$2` rows for which a condition holds, in the order of a key: all up to the
  /// key of the last of them.
  /// - Parameter key: Columns of an index that begins with those of the condition.
  static func portion(of table: String, where condition: String, by key: String) -> String {
    let descending = key.split(separator: ", ").map { "\($0) DESC" }.joined(separator: ", ")
    return deletion(
      from: table,
      """
      \(condition) AND (\(key)) <= (
          SELECT \(key) FROM (
            SELECT \(key) FROM \(table) WHERE \(condition) ORDER BY \(key) LIMIT $2
          ) AS portion ORDER BY \(descending) LIMIT 1)
      """)
  }

  /// Deletes any `$2` rows for which a condition holds, but for those that others hold.
  ///
  /// A `ctid` may be another row's by then, so the condition is checked again.
  static func portion(of table: String, where condition: String) -> String {
    deletion(
      from: table,
      """
      \(condition) AND ctid = ANY (ARRAY(
          SELECT ctid FROM \(table) WHERE \(condition) LIMIT $2 FOR UPDATE SKIP LOCKED))
      """)
  }

  private static func deletion(from table: String, _ condition: String) -> String {
    """
    WITH gone AS (
      DELETE FROM \(table)
      WHERE \(condition)
      RETURNING 1
    )
    SELECT count(*) FROM gone
    """
  }
}

extension PostgresClient {
  /// Deletes portion by portion until nothing is left.
  /// - Returns: How many rows are gone.
  func purge(_ portion: some PurgePortion) async throws(PostgresError) -> Int64 {
    var total: Int64 = 0
    while let count = try await write(portion).first, count > 0 { total += count }
    return total
  }
}
