internal import FoundationEssentials
internal import Postgres
internal import Registry

/// A place in the changes of an app.
struct ChangePlace: Hashable, Sendable {
  var appID: Int32
  var position: ChangePosition
  /// The life in which it was told; 0 of a place that nobody was told.
  var epoch: Int64 = 0
}

/// What tells this life of the database from others, in words: server, timeline, database, table,
/// start of the server, and the files of an embedded one (`ClusterSettings`). A database that is
/// restored is started, so its fifth word is another. It is a query, so that it is asked once and
/// not for each row.
let databaseOrigin = """
  (
    SELECT concat_ws(' ', system_identifier, left(pg_walfile_name(pg_current_wal_lsn()), 8),
      (SELECT oid FROM pg_database WHERE datname = current_database()),
      'token_history'::regclass::oid, extract(epoch FROM pg_postmaster_start_time()),
      current_setting('postilion.files', true))
    FROM pg_control_system()
  )
  """

/// The number of the next transaction: all that the database has begun have a lower one.
let nextTransaction = "pg_snapshot_xmax(pg_current_snapshot())"

/// The oldest transaction under way: all with a lower number have ended, on all servers. It is a
/// query, so that it is asked once and not for each row.
private let nobodyUnderWay = "(SELECT oldest_under_way())"

/// The changes behind some places, each in their order; of each so many at most, and one more if
/// there is one.
///
/// The order is that of transactions. Whatever a transaction writes, it is seen when it commits,
/// and one that began earlier may commit later. So only what is before the oldest transaction under
/// way is read: nothing can come in between any more. That is decided by the snapshot that also
/// reads the rows, as a server that breaks down may count the last numbers again.
///
/// A reader goes on from an earlier life if it was told no more than this database had at the end
/// of that life. Example: a reader was told 180 changes, and the database is then restored from a
/// copy that has 100 of them. The last transaction that the reader was told of is beyond those that
/// the copy had at its start, so the reader does not go on. Neither does it if that transaction was
/// under way when the copy was made: there it never came to its end.
///
/// There is a row for each place, also for one behind which there is nothing; none at all as long
/// as this life of the database has no number.
struct ReadChanges: Statement {
  static let sql = """
    SELECT e.epoch, e.kept_since, place.number,
      CASE
        WHEN told.epoch IS NULL OR told.ended_transaction = '0' THEN false
        WHEN place.transaction_id >= coalesce(told.ended_transaction, \(nextTransaction))
          THEN false
        ELSE pg_xact_status(place.transaction_id) IS DISTINCT FROM 'aborted'
      END, h.*
    FROM change_epoch AS e
    CROSS JOIN unnest($1::int4[], $2::xid8[], $3::int8[], $5::int8[])
      WITH ORDINALITY AS place (app_id, transaction_id, id, epoch, number)
    LEFT JOIN change_epoch AS told ON told.epoch = place.epoch
    LEFT JOIN LATERAL (
      (
        SELECT \(columns), from_installation_id, environment, kind, reason, NULL::text AS app_build
        FROM token_history AS h WHERE h.app_id = place.app_id AND \(isBehindPlace)
          AND event <> 'replaced'
        ORDER BY transaction_id, id LIMIT $4
      ) UNION ALL (
        SELECT \(columns), NULL::uuid, environment, kind, reason, app_build
        FROM app_history AS h WHERE h.app_id = place.app_id AND \(isBehindPlace)
        ORDER BY transaction_id, id LIMIT $4
      )
      ORDER BY transaction_id, id LIMIT $4
    ) AS h ON true
    WHERE e.origin = \(databaseOrigin)
    ORDER BY place.number, h.transaction_id, h.id
    """
  private static let columns = "transaction_id, id, at, event, source, installation_id"
  private static let isBehindPlace = """
    (h.transaction_id, h.id) > (place.transaction_id, place.id)
          AND h.transaction_id < \(nobodyUnderWay) AND h.id > e.first_id
    """

  let places: [ChangePlace]
  let limit: Int

  func bind(to parameters: inout Parameters) {
    parameters.append(
      places.map(\.appID), places.map(\.position.transaction), places.map(\.position.id),
      Int64(limit + 1), places.map(\.epoch))
  }

  /// The life, the place by its index and whether its reader goes on, and a change behind it, if
  /// there is one.
  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (
    life: ChangeEpoch, place: Int, goesOn: Bool, change: ChangeEntry?
  ) {
    let life = try ChangeEpoch(row: &row)
    let place = Int(try row.next(Int64.self)) - 1
    let goesOn: Bool = try row.next()
    guard let transaction = try row.nextOptional(TransactionID.self) else {
      return (life, place, goesOn, nil)
    }
    let change = ChangeEntry(
      position: ChangePosition(transaction: transaction, id: try row.next()),
      at: try row.next(), event: try row.next(), source: try row.next(),
      installation: try row.nextOptional(), from: try row.nextOptional(),
      environment: try row.nextOptional(), kind: try row.nextOptional(),
      reason: try row.nextOptional(), build: try row.nextOptional())
    return (life, place, goesOn, change)
  }
}

/// The place behind all changes of an app that can be read.
struct FindNewestChange: Statement {
  static let sql = """
    SELECT e.epoch, e.kept_since, h.transaction_id, h.id
    FROM change_epoch AS e
    LEFT JOIN LATERAL (
      (
        SELECT transaction_id, id FROM token_history
        WHERE app_id = $1 AND event <> 'replaced' AND transaction_id < \(nobodyUnderWay)
        ORDER BY transaction_id DESC, id DESC LIMIT 1
      ) UNION ALL (
        SELECT transaction_id, id FROM app_history
        WHERE app_id = $1 AND transaction_id < \(nobodyUnderWay)
        ORDER BY transaction_id DESC, id DESC LIMIT 1
      )
      ORDER BY transaction_id DESC, id DESC LIMIT 1
    ) AS h ON true
    WHERE e.origin = \(databaseOrigin)
    """
  let appID: Int32

  func bind(to parameters: inout Parameters) { parameters.append(appID) }

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (life: ChangeEpoch, position: ChangePosition) {
    let life = try ChangeEpoch(row: &row)
    guard let transaction = try row.nextOptional(TransactionID.self) else { return (life, .start) }
    return (life, ChangePosition(transaction: transaction, id: try row.next()))
  }
}

extension ChangeEpoch {
  /// Reads `epoch, kept_since`.
  fileprivate init(row: inout RowReader) throws(PostgresError) {
    self.init(number: try row.next(), keptSince: try row.next())
  }
}
