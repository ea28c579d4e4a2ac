internal import EventLoop
internal import Postgres

/// Brings what registrations have added to the index of the filters into it before one of them has
/// to: PostgreSQL collects it in a list, and whoever fills the list pays for all others, 50 ms for
/// three thousand registrations (PostgreSQL, "GIN Fast Update Technique").
///
/// It goes on for ever; each instance does it, as the list says how much there is to do.
/// - Parameters:
///   - database: Started; not that of calls, so that nobody waits behind it.
///   - failed: Told of the first failure in a row. What fails, as on a server that takes no
///     changes, may go well later; the list has room.
func keepFilterIndexShort(_ database: PostgresClient, failed: (PostgresError) -> Void) async {
  var isFailing = false
  while true {
    var pages: Int64?
    do throws(PostgresError) {
      pages = try await database.write(CleanFilterIndex()).first
      isFailing = false
    } catch {
      if !isFailing { failed(error) }
      isFailing = true
    }
    await database.loop.sleep(
      nanoseconds: (pages ?? 0) > 0
        ? Limits.filterIndexIntervalNanoseconds : Limits.filterIndexRestNanoseconds)
  }
}

/// Brings in what waits.
/// - Returns: How many pages it had; 0 when there was nothing.
struct CleanFilterIndex: Statement {
  static let sql = "SELECT clean_filter_index()"

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.next() }
}
