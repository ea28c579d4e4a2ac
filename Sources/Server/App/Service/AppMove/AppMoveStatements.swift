internal import Postgres
internal import Registry

extension Command where Self == Query<Int32> {
  /// Marks how far an app is on its way; no row if the app is not where it was expected.
  static func markApp(_ id: Int32, _ from: AppMoving?, _ to: AppMoving?) -> Self {
    Query(
      """
      UPDATE app SET moving = \(to?.rawValue), tag = DEFAULT
      WHERE id = \(id) AND deleted_at IS NULL AND moving IS NOT DISTINCT FROM \(from?.rawValue)
      RETURNING id
      """)
  }

  /// Makes the app in the database where it arrives, from its row as JSON.
  static func insertMovedApp(_ line: String) -> Self {
    Query(
      """
      INSERT INTO app OVERRIDING SYSTEM VALUE
      SELECT r.* FROM jsonb_populate_record(
        NULL::app, \(line)::text::jsonb || jsonb_build_object(
          'id', nextval(pg_get_serial_sequence('app', 'id')), 'moving', 'arriving')) AS r
      RETURNING id
      """)
  }
}

extension Command where Self == Query<String> {
  /// The text that tells this database from others.
  static func readOrigin() -> Self { Query("SELECT \(constant: databaseOrigin)") }

  /// Lets this transaction write for an app that moves.
  static func allowMoving() -> Self {
    Query("SELECT set_config('postilion.moves', 'on', true)")
  }
}

/// The number of the next transaction, and the oldest one under way.
struct TransactionNumbers: Sendable {
  let next: TransactionID
  let oldest: TransactionID
}

extension Command where Self == Query<TransactionNumbers> {
  static func transactionNumbers() -> Self {
    Query("SELECT \(constant: nextTransaction), oldest_under_way()", into: TransactionNumbers.init)
  }
}

/// An event of an app on its way.
struct MovedEvent: Sendable {
  /// Whether the event is of the table `app_history`.
  let isOfApp: Bool
  /// `nil` for an event that is in no feed.
  let transaction: TransactionID?
  let id: Int64
  /// The rest of the row, as JSON.
  let line: String
}

extension Command where Self == Query<MovedEvent> {
  /// The events of an app, in the order of the feed.
  static func movedHistory(of appID: Int32) -> Self {
    Query(
      """
      SELECT is_of_app, transaction_id, id, line FROM (
        SELECT false AS is_of_app, transaction_id, id, to_jsonb(h)::text AS line
        FROM token_history AS h WHERE app_id = \(appID)
        UNION ALL
        SELECT true, transaction_id, id, to_jsonb(h)::text
        FROM app_history AS h WHERE app_id = \(appID)
      ) AS event
      ORDER BY transaction_id NULLS FIRST, id
      """, into: MovedEvent.init)
  }
}

extension Command where Self == Query<Void> {
  /// Notes where readers go on that were told no event of an app before it moved: at the beginning.
  static func insertMovedStart(
    of appID: Int32, epochs: (here: Int64, there: Int64), at now: Timestamp
  ) -> Self {
    Query(
      """
      INSERT INTO moved_change (app_id, epoch, transaction_id, change_id, new_epoch,
        new_transaction_id, new_change_id, moved_at)
      VALUES (\(appID), \(epochs.here), '0', 0, \(epochs.there), '0', 0, \(now))
      """)
  }

  /// Writes events with numbers of this database, in the same order, and the earlier place of each
  /// event.
  /// - Parameter epochs: The lives of the database that they come from, and of this one.
  static func insertMovedHistory(
    _ events: [MovedEvent], of appID: Int32, epochs: (here: Int64, there: Int64), at now: Timestamp
  ) -> Self {
    Query(
      """
      WITH event AS MATERIALIZED (
        SELECT is_of_app, transaction_id, change_id, new_change_id,
          line::jsonb || jsonb_build_object('app_id', \(appID)::int4, 'id', new_change_id,
            'transaction_id', CASE WHEN transaction_id IS NOT NULL THEN pg_current_xact_id() END
          ) AS line
        FROM (
          SELECT *, nextval('token_history_id_seq') AS new_change_id
          FROM unnest(\(events.map(\.isOfApp))::bool[],
            \(column: events.map(\.transaction))::xid8[], \(events.map(\.id))::int8[],
            \(events.map(\.line))::text[])
            AS sent (is_of_app, transaction_id, change_id, line)
        ) AS numbered
      ), of_tokens AS (
        INSERT INTO token_history OVERRIDING SYSTEM VALUE
        SELECT r.* FROM event, jsonb_populate_record(NULL::token_history, line) AS r
        WHERE NOT is_of_app
      ), of_app AS (
        INSERT INTO app_history
        SELECT r.* FROM event, jsonb_populate_record(NULL::app_history, line) AS r WHERE is_of_app
      )
      INSERT INTO moved_change (app_id, epoch, transaction_id, change_id, new_epoch,
        new_transaction_id, new_change_id, moved_at)
      SELECT \(appID)::int4, \(epochs.here), transaction_id, change_id, \(epochs.there),
        pg_current_xact_id(), new_change_id, \(now)
      FROM event WHERE transaction_id IS NOT NULL
      """)
  }
}
