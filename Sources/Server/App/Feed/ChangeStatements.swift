internal import FoundationEssentials
internal import Postgres
internal import Registry

/// A place in the changes of an app.
struct ChangePlace: Hashable, Sendable {
  var appID: Int32
  var position: ChangePosition
  /// The life in which a reader was told the place; 0 for a place that no reader was told.
  var epoch: Int64 = 0
}

/// The words that tell this life of the database from other lives: server, timeline, database,
/// table, start of the server, and the files of an embedded one (`ClusterSettings`). A database
/// that is restored is started, so its fifth word differs. It is a query, so that it is asked once
/// and not for each row.
let databaseOrigin = """
  (
    SELECT concat_ws(' ', system_identifier, left(pg_walfile_name(pg_current_wal_lsn()), 8),
      (SELECT oid FROM pg_database WHERE datname = current_database()),
      'token_history'::regclass::oid, extract(epoch FROM pg_postmaster_start_time()),
      current_setting('postilion.files', true))
    FROM pg_control_system()
  )
  """

/// The number of the next transaction: all transactions that the database has begun have a lower
/// one.
let nextTransaction = "pg_snapshot_xmax(pg_current_snapshot())"

/// The oldest transaction under way: all transactions with a lower number have ended, on all
/// servers. It is a query, so that it is asked once and not for each row.
private let nobodyUnderWay = "(SELECT oldest_under_way())"

/// The changes behind some places, for each place in their order: at most `limit` for each place,
/// and one more if there is one.
///
/// The order is the order of transactions. The rows of a transaction are seen when it commits, and
/// a transaction that began earlier may commit later. So only rows before the oldest transaction
/// under way are read: no row can come in between any more. The snapshot that reads the rows also
/// decides this, as a server that breaks down may count the last numbers again.
///
/// A reader goes on from an earlier life if it was told no more than this database had at the end
/// of that life. Example: a reader was told 180 changes, and the database is then restored from a
/// copy that has 100 of them. The last transaction that the reader was told of is beyond those that
/// the copy had at its start, so the reader does not go on. Neither does it if that transaction was
/// under way when the copy was made: there it never came to its end.
///
/// A reader whose app came from another Postilion goes on behind the last change that it was told
/// there (`moved_change`).
///
/// There is a row for each place, also for a place without changes behind it. There is no row at
/// all as long as this life of the database has no number.
struct ReadChanges: Statement {
  static let sql = """
    SELECT e.epoch, e.kept_since, place.number, place.transaction_id, place.id,
      CASE
        WHEN told.epoch IS NULL OR told.ended_transaction = '0' THEN false
        WHEN place.transaction_id >= coalesce(told.ended_transaction, \(nextTransaction))
          THEN false
        ELSE pg_xact_status(place.transaction_id) IS DISTINCT FROM 'aborted'
      END, h.*
    FROM change_epoch AS e
    CROSS JOIN (
      SELECT asked.app_id, asked.number, coalesce(new_epoch, asked.epoch) AS epoch,
        coalesce(new_transaction_id, asked.transaction_id) AS transaction_id,
        coalesce(new_change_id, asked.id) AS id
      FROM unnest($1::int4[], $2::xid8[], $3::int8[], $5::int8[])
        WITH ORDINALITY AS asked (app_id, transaction_id, id, epoch, number)
      LEFT JOIN LATERAL (
        SELECT new_epoch, new_transaction_id, new_change_id FROM moved_change AS m
        WHERE m.app_id = asked.app_id AND m.epoch = asked.epoch
          AND (m.transaction_id, m.change_id) <= (asked.transaction_id, asked.id)
        ORDER BY m.transaction_id DESC, m.change_id DESC LIMIT 1
      ) AS moved ON true
    ) AS place
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

  /// The life, the place by its index and as it is in this life, whether its reader goes on, and a
  /// change behind it, if there is one.
  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (
    life: ChangeEpoch, place: Int, position: ChangePosition, goesOn: Bool, change: ChangeEntry?
  ) {
    let life = try ChangeEpoch(row: &row)
    let place = Int(try row.next(Int64.self)) - 1
    let position = try row.next(ChangePosition.self)
    let goesOn: Bool = try row.next()
    guard let transaction = try row.next(TransactionID?.self) else {
      return (life, place, position, goesOn, nil)
    }
    let change = ChangeEntry(
      position: ChangePosition(transaction: transaction, id: try row.next()),
      at: try row.next(), event: try row.next(), source: try row.next(),
      installation: try row.next(), from: try row.next(),
      environment: try row.next(), kind: try row.next(),
      reason: try row.next(), build: try row.next())
    return (life, place, position, goesOn, change)
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
    guard let transaction = try row.next(TransactionID?.self) else { return (life, .start) }
    return (life, ChangePosition(transaction: transaction, id: try row.next()))
  }
}
