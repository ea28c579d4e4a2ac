internal import EventLoop
internal import Postgres

/// Merges GIN's pending list into the index of the filters, before a registration has to.
/// PostgreSQL collects new words in that list first, and the registration that fills it merges it
/// for all others: 50 ms for three thousand registrations (PostgreSQL, "GIN Fast Update
/// Technique").
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

/// Merges the pending list into the index.
/// - Returns: How many pages the list had; 0 when it was empty.
struct CleanFilterIndex: Statement {
  typealias Row = Int64
  static let sql = "SELECT clean_filter_index()"
}
