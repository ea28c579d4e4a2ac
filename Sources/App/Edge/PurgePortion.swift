import Postgres

/// Deletes a portion of what is to go, at most about ``Limits/purgePortion`` rows, and answers how
/// many: millions in one statement would outlast its time and hold their locks for all of it.
protocol PurgePortion: Statement where Row == Int64 {}

extension PurgePortion {
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.next() }
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
