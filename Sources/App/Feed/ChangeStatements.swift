internal import FoundationEssentials
internal import Postgres
internal import Registry

/// A place in the changes of an app.
struct ChangePlace: Hashable, Sendable {
  var appID: Int32
  var position: ChangePosition
}

/// The database as it is in this life: a cluster that is made by restoring has another identifier,
/// one that went on from a standby or from a backup another timeline, and a table that is restored
/// another number. It is a query, so that it is asked once and not for each row.
private let origin = """
  (
    SELECT system_identifier || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8) || ' '
      || (SELECT oid FROM pg_database WHERE datname = current_database()) || ' '
      || 'token_history'::regclass::oid
    FROM pg_control_system()
  )
  """

/// The oldest transaction under way, before which nothing can come in between.
private let nobodyUnderWay = "pg_snapshot_xmin(pg_current_snapshot())"

/// The same on a cluster of Citus, whose servers commit one after the other, the coordinator first:
/// a change is read when its installation can be, too.
private let nobodyUnderWayAnywhere = "(SELECT finished_everywhere())"

/// The changes behind some places, each in their order; of each so many at most, and one more if
/// there is one.
///
/// The order is that of transactions. Whatever a transaction writes, it is seen when it commits,
/// and one that began earlier may commit later. So only what is before the oldest transaction under
/// way is read: nothing can come in between any more. That is decided by the snapshot that also
/// reads the rows, as a server that breaks down may count the last numbers again.
///
/// There is a row for each place, also for one behind which there is nothing; none at all when the
/// database lives anew.
struct ReadChanges: Statement {
  static let sql = text(before: nobodyUnderWay)
  static let distributedSQL: String? = text(before: nobodyUnderWayAnywhere)

  private static func text(before end: String) -> String {
    """
    SELECT e.epoch, e.kept_since, place.number, h.*
    FROM change_epoch AS e
    CROSS JOIN unnest($1::int4[], $2::xid8[], $3::int8[]) WITH ORDINALITY
      AS place (app_id, transaction_id, id, number)
    LEFT JOIN LATERAL (
      (
        SELECT \(columns), from_installation_id, environment, kind, reason, NULL::text AS app_build
        FROM token_history AS h WHERE h.app_id = place.app_id AND \(isBehindPlace(before: end))
          AND event <> 'replaced'
        ORDER BY transaction_id, id LIMIT $4
      ) UNION ALL (
        SELECT \(columns), NULL::uuid, environment, kind, reason, app_build
        FROM app_history AS h WHERE h.app_id = place.app_id AND \(isBehindPlace(before: end))
        ORDER BY transaction_id, id LIMIT $4
      )
      ORDER BY transaction_id, id LIMIT $4
    ) AS h ON true
    WHERE e.origin = \(origin)
    ORDER BY place.number, h.transaction_id, h.id
    """
  }
  private static let columns = "transaction_id, id, at, event, source, installation_id"
  private static func isBehindPlace(before end: String) -> String {
    """
    (h.transaction_id, h.id) > (place.transaction_id, place.id)
          AND h.transaction_id < \(end) AND h.id > e.first_id
    """
  }

  let places: [ChangePlace]
  let limit: Int

  func bind(to parameters: inout Parameters) {
    parameters.append(places.map(\.appID))
    parameters.append(places.map(\.position.transaction))
    parameters.append(places.map(\.position.id))
    parameters.append(Int64(limit + 1))
  }

  /// The life, the place by its index, and a change behind it, if there is one.
  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (life: ChangeEpoch, place: Int, change: ChangeEntry?) {
    let life = try ChangeEpoch(row: &row)
    let place = Int(try row.next(Int64.self)) - 1
    guard let transaction = try row.nextOptional(TransactionID.self) else {
      return (life, place, nil)
    }
    let change = ChangeEntry(
      position: ChangePosition(transaction: transaction, id: try row.next()),
      at: try row.next(), event: try row.next(), source: try row.next(),
      installation: try row.nextOptional(), from: try row.nextOptional(),
      environment: try row.nextOptional(), kind: try row.nextOptional(),
      reason: try row.nextOptional(), build: try row.nextOptional())
    return (life, place, change)
  }
}

/// The place behind all changes of an app that can be read.
struct FindNewestChange: Statement {
  static let sql = text(before: nobodyUnderWay)
  static let distributedSQL: String? = text(before: nobodyUnderWayAnywhere)

  private static func text(before end: String) -> String {
    """
    SELECT e.epoch, e.kept_since, h.transaction_id, h.id
    FROM change_epoch AS e
    LEFT JOIN LATERAL (
      (
        SELECT transaction_id, id FROM token_history
        WHERE app_id = $1 AND event <> 'replaced' AND transaction_id < \(end)
        ORDER BY transaction_id DESC, id DESC LIMIT 1
      ) UNION ALL (
        SELECT transaction_id, id FROM app_history WHERE app_id = $1 AND transaction_id < \(end)
        ORDER BY transaction_id DESC, id DESC LIMIT 1
      )
      ORDER BY transaction_id DESC, id DESC LIMIT 1
    ) AS h ON true
    WHERE e.origin = \(origin)
    """
  }
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

/// The present life of the database, if it has begun.
struct LoadChangeEpoch: Statement {
  static let sql = "SELECT epoch, kept_since FROM change_epoch WHERE origin = \(origin)"

  static func decode(_ row: inout RowReader) throws(PostgresError) -> ChangeEpoch {
    try ChangeEpoch(row: &row)
  }
}

/// Waits for those that write history, and lets others wait until the end of the transaction: what
/// is written before a life and what is written in it are told apart by their numbers.
struct LockHistories: Statement {
  /// It waits for a writer as briefly as a migration does, since all others wait behind it.
  static let sql = """
    DO $$
    BEGIN
      PERFORM set_config('lock_timeout', '300ms', true);
      LOCK TABLE token_history, app_history IN SHARE MODE;
    END
    $$
    """
}

/// Begins a life of the database, unless another instance has.
struct InsertChangeEpoch: Statement {
  static let sql = """
    INSERT INTO change_epoch (origin, epoch, first_id, kept_since)
    VALUES (\(origin), $1, nextval('token_history_id_seq'), 'epoch')
    ON CONFLICT (origin) DO NOTHING
    """
  let number: Int64

  func bind(to parameters: inout Parameters) { parameters.append(number) }
}

extension ChangeEpoch {
  /// Reads `epoch, kept_since`.
  fileprivate init(row: inout RowReader) throws(PostgresError) {
    self.init(number: try row.next(), keptSince: try row.next())
  }
}
