internal import Postgres

extension Command where Self == Query<Int64> {
  /// Deletes the first rows for which a condition holds, in the order of a key: all rows up to the
  /// key of the last of them. It answers how many rows. Millions in one statement would outlast the
  /// statement's time, and hold their locks for all of it.
  /// - Parameters:
  ///   - key: Columns of an index that begins with the columns of the condition.
  ///   - rows: The most rows, about.
  static func purge(
    _ table: String, where condition: SQL, by key: String, rows: Int64 = Limits.purgePortion
  ) -> Self {
    let descending = key.split(separator: ", ").map { "\($0) DESC" }.joined(separator: ", ")
    return purge(
      table,
      """
      \(condition) AND (\(constant: key)) <= (
          SELECT \(constant: key) FROM (
            SELECT \(constant: key) FROM \(constant: table) WHERE \(condition)
            ORDER BY \(constant: key) LIMIT \(rows)
          ) AS portion ORDER BY \(constant: descending) LIMIT 1)
      """)
  }

  /// Deletes any rows for which a condition holds, except rows that other transactions have locked.
  ///
  /// A `ctid` may belong to another row by then, so the condition is checked again.
  static func purge(_ table: String, where condition: SQL) -> Self {
    purge(
      table,
      """
      \(condition) AND ctid = ANY (ARRAY(
          SELECT ctid FROM \(constant: table) WHERE \(condition)
          LIMIT \(Limits.purgePortion) FOR UPDATE SKIP LOCKED))
      """)
  }

  private static func purge(_ table: String, _ condition: SQL) -> Self {
    Query(
      """
      WITH gone AS (
        DELETE FROM \(constant: table)
        WHERE \(condition)
        RETURNING 1
      )
      SELECT count(*) FROM gone
      """)
  }
}

extension PostgresClient {
  /// Deletes portion by portion until nothing is left.
  /// - Returns: How many rows are gone.
  func purge(_ portion: Query<Int64>) async throws(PostgresError) -> Int64 {
    var total: Int64 = 0
    while let count = try await write(portion).first, count > 0 { total += count }
    return total
  }
}
