internal import Postgres

/// A table with rows of apps: how the rows are deleted with their app, and how ``AppMove`` carries
/// them to another database. A test compares the list with the schema.
///
/// A row travels as JSON with the names of its columns, since an updated database may have its
/// columns in another order. Values that each database numbers itself are left out here, and given
/// anew in the new database.
struct AppTable: Sendable {
  /// When the new database writes the rows of an app that moves. Rows come after the rows that they
  /// refer to.
  enum Move: Sendable {
    case first
    /// As they are.
    case plain
    /// Events, which have the numbers of the feed.
    case events
    /// The rows are written after the events that they have read.
    case behindEvents
    /// The rows go on changing while the app leaves, so they are not compared. Examples: recorded
    /// calls (refused ones too), deliveries under way, and counts of the last minutes.
    case unquiet
    /// The rows belong to this database alone.
    case never
  }

  let name: String
  let move: Move
  var appColumn = "app_id"
  /// The index columns after ``appColumn``. The rows of a deleted app are deleted in portions in
  /// this order. `nil` for a table with few rows, which go with the app's row or stay.
  var key: String?
  /// The maximum number of rows in a portion.
  var portion = Limits.purgePortion
  /// Whether its rows stay in the database when the app's row is deleted.
  var isUntied = false
  /// Columns that are not carried.
  var without: [String] = []
  /// Columns that are not compared: they go on changing while the app leaves, or have other values
  /// in the new database.
  var varying: [String] = []
  /// The order in which rows are written, where they have one.
  var order: String?
  /// Members that replace members of a row when it leaves: SQL for `jsonb`, with the row as `t`.
  var leaving = "'{}'"
  /// Members that replace members of a row when it is written: SQL for `jsonb`, with the row's JSON
  /// as `x.line` and the app's new number as `x.app_id`.
  var arriving = "'{}'"

  /// All tables, in the order in which they are carried.
  static let all = [
    Self(name: "app", move: .first, appColumn: "id", varying: ["moving", "tag"]),
    // Each word of `facets` begins with the app's number.
    Self(
      name: "installation", move: .plain, key: "installation_id", isUntied: true,
      order: "installation_id",
      leaving: """
        jsonb_build_object('facets', ARRAY(
          SELECT substr(word, strpos(word, ':'))
          FROM unnest(facets) WITH ORDINALITY AS f (word, place) ORDER BY place))
        """,
      arriving: """
        jsonb_build_object('facets', ARRAY(
          SELECT x.app_id::text || word
          FROM jsonb_array_elements_text(x.line -> 'facets') WITH ORDINALITY AS f (word, place)
          ORDER BY place))
        """),
    Self(
      name: "token_owner", move: .plain, key: "environment, kind, token", isUntied: true,
      order: "environment, kind, token"),
    Self(
      name: "sighting", move: .plain, key: "installation_id", isUntied: true,
      order: "installation_id"),
    Self(name: "user_language", move: .plain, key: "user_id"),
    Self(name: "claim_code", move: .plain, key: "installation_id"),
    Self(name: "registration_failure", move: .plain, key: "occurred_at", isUntied: true),
    // One catalog at a time, with its files.
    Self(name: "catalog", move: .plain, key: "version", portion: 1),
    Self(name: "catalog_file", move: .plain),
    Self(name: "message", move: .plain),
    Self(name: "channel", move: .plain),
    Self(name: "api_key", move: .plain, varying: ["last_used_at"]),
    Self(
      name: "token_history", move: .events, key: "installation_id", isUntied: true,
      without: ["id", "transaction_id"]),
    Self(
      name: "app_history", move: .events, key: "transaction_id", isUntied: true,
      without: ["id", "transaction_id"]),
    // A webhook that cannot go on in this database cannot go on in the new one either.
    Self(
      name: "webhook", move: .behindEvents,
      varying: [
        "epoch", "transaction_id", "change_id", "read_at", "failing_since", "is_enabled",
        "disabled_reason", "version", "goes_on",
      ],
      leaving: """
        jsonb_build_object('goes_on', EXISTS (
            SELECT FROM change_epoch AS e
            WHERE e.epoch = t.epoch AND e.ended_transaction IS DISTINCT FROM '0'))
        """,
      arriving: """
        jsonb_build_object('version', nextval('entity_tag')) || CASE
          WHEN (x.line ->> 'goes_on')::boolean THEN jsonb_build_object(
              'transaction_id', 0, 'change_id', 0,
              'epoch', (SELECT epoch FROM change_epoch WHERE origin = \(databaseOrigin)))
            || coalesce((
              SELECT jsonb_build_object(
                'transaction_id', new_transaction_id, 'change_id', new_change_id)
              FROM moved_change AS m
              WHERE m.app_id = x.app_id AND (m.transaction_id, m.change_id)
                <= ((x.line ->> 'transaction_id')::xid8, (x.line ->> 'change_id')::int8)
              ORDER BY m.transaction_id DESC, m.change_id DESC LIMIT 1), '{}')
          ELSE '{}' END
        """),
    // The audit log of a deleted app stays as long as the audit logs of other apps.
    Self(
      name: "audit_log", move: .unquiet, without: ["id"], order: "id",
      arriving: "jsonb_build_object('id', nextval(pg_get_serial_sequence('audit_log', 'id')))"),
    Self(name: "feedback_breaker", move: .unquiet),
    // A webhook knows how far it has read, so it is written before its deliveries.
    Self(
      name: "webhook_delivery", move: .unquiet, without: ["number"], order: "number",
      arriving: """
        jsonb_build_object(
          'number', nextval(pg_get_serial_sequence('webhook_delivery', 'number')))
        """),
    Self(
      name: "moved_change", move: .never, key: "epoch, transaction_id, change_id", isUntied: true),
  ]

  /// The tables whose rows are carried at the given step.
  static func moved(_ move: Move) -> [Self] { all.filter { $0.move == move } }

  /// The rows of an app, as JSON.
  func lines(of appID: Int32) -> Query<String> {
    Query(
      """
      SELECT \(line(without: without))::text FROM \(constant: name) AS t
      WHERE \(constant: appColumn) = \(appID) \(constant: order.map { "ORDER BY \($0)" } ?? "")
      """)
  }

  private func line(without names: [String]) -> SQL {
    let list = ([appColumn] + names).map { "'\($0)'" }.joined(separator: ", ")
    return "((to_jsonb(t) || \(constant: leaving)) - ARRAY[\(constant: list)])"
  }

  /// Writes rows for an app, from the JSON of ``lines(of:)``.
  func insertion(of lines: [String], for appID: Int32) -> Query<Void> {
    Query(
      """
      INSERT INTO \(constant: name) OVERRIDING SYSTEM VALUE
      SELECT r.* FROM (
          SELECT \(appID)::int4 AS app_id, line::jsonb, place
          FROM unnest(\(lines)::text[]) WITH ORDINALITY AS sent (line, place)
        ) AS x,
        jsonb_populate_record(
          NULL::\(constant: name), x.line || jsonb_build_object('\(constant: appColumn)', x.app_id)
            || \(constant: arriving)) AS r
      ORDER BY x.place
      """)
  }

  /// The number of an app's rows, and the sum of the hashes of their contents.
  func sum(of appID: Int32) -> Query<RowSum> {
    Query(
      """
      SELECT count(*),
        coalesce(sum(hashtextextended(\(line(without: without + varying))::text, 0)), 0)::text
      FROM \(constant: name) AS t WHERE \(constant: appColumn) = \(appID)
      """, into: RowSum.init)
  }

  /// Deletes a portion of the rows of a deleted app; `nil` for a table without portions.
  func purge(_ appID: Int32) -> Query<Int64>? {
    key.map { .purge(name, where: "app_id = \(appID)", by: $0, rows: portion) }
  }
}

/// The number of rows and the sum of their hashes. Equal rows give an equal sum in any order.
struct RowSum: Equatable, Sendable {
  let count: Int64
  let sum: String
}
