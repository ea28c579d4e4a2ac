internal import EventLoop
internal import Postgres
internal import Telemetry

/// Merges GIN's pending list into the index of the filters, before a registration has to.
/// PostgreSQL collects new words in that list first, and the registration that fills it merges it
/// for all others: 50 ms for three thousand registrations (PostgreSQL, "GIN Fast Update
/// Technique").
///
/// It goes on for ever. Each instance does it, because the list says how much there is to do.
/// - Parameters:
///   - database: A started client, not the client of calls, so that no call waits behind it.
///   - failed: Told of the first failure in a row. A merge that fails, as on a server that takes no
///     changes, may go well later; the list has room.
func keepFilterIndexShort(_ database: PostgresClient, failed: (PostgresError) -> Void) async {
  var isFailing = false
  while true {
    var pages: Int64?
    do throws(PostgresError) {
      pages = try await database.write(.cleanFilterIndex()).first
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

extension Command where Self == Query<Int64> {
  /// Merges the pending list into the index, and answers how many pages the list had; 0 when it was
  /// empty. The first statistics of the table are made, too.
  static func cleanFilterIndex() -> Self { Query("SELECT clean_filter_index()") }
}

extension Observation {
  /// The pending list of the index of the filters could not be merged into it.
  func filterIndexFailed(_ error: PostgresError) {
    logger.log(.warning, "filter_index_failed", ["cause": .string(error.description)])
  }
}
