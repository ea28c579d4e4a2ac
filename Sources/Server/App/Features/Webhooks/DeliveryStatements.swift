internal import FoundationEssentials
internal import Postgres
internal import Registry

/// Moves an endpoint on in the feed, if it is still at its place and nobody has changed it, and
/// makes deliveries of the changes in between, in their order. If a change was a delivery before,
/// it becomes a new one. It is one statement, so that an instance that freezes holds no lock in the
/// middle.
///
/// There is no row when the endpoint was not moved, and a row of nulls when it was moved and there
/// are no deliveries.
struct MakeDeliveries: Statement {
  static let sql = """
    WITH moved AS (
      UPDATE webhook SET epoch = $3, transaction_id = $4, change_id = $5, read_at = $6
      WHERE app_id = $1 AND webhook_id = $2 AND is_enabled AND version = $7
        AND (epoch, transaction_id, change_id) = ($8, $9, $10)
        AND \(DatabaseLease.isHeld(WebhookDeliverer.lease, number: "$11"))
      RETURNING webhook_id
    ), made AS (
      INSERT INTO webhook_delivery AS d (app_id, webhook_id, delivery_id, event, installation_id,
        from_installation_id, body, happened_at, state, next_attempt_at)
      SELECT $1, $2, x.id, x.event, x.installation, x.origin, x.body, x.happened_at, 'pending', $18
      FROM moved, unnest($12::text[], $13::text[], $14::uuid[], $15::uuid[], $16::text[],
          $17::timestamptz[])
        WITH ORDINALITY AS x (id, event, installation, origin, body, happened_at, place)
      ORDER BY x.place
      ON CONFLICT (app_id, webhook_id, delivery_id) DO UPDATE
      SET number = excluded.number, body = excluded.body, state = 'pending', attempts = 0,
        first_attempt_at = NULL, next_attempt_at = excluded.next_attempt_at
      RETURNING d.delivery_id, d.number
    )
    SELECT delivery_id, number FROM moved LEFT JOIN made ON true
    """
  let webhook: WebhookRecord
  let cursor: ChangeCursor
  let drafts: [DeliveryDraft]
  let now: Timestamp
  let lease: Int64

  func bind(to parameters: inout Parameters) {
    parameters.append(webhook.key)
    parameters.append(cursor)
    parameters.append(
      webhook.version, webhook.cursor.epoch, webhook.cursor.position.transaction,
      webhook.cursor.position.id, lease)
    parameters.append(column: drafts.map(\.id))
    parameters.append(column: drafts.map(\.event))
    parameters.append(column: drafts.map(\.installation))
    parameters.append(column: drafts.map(\.from))
    parameters.append(column: drafts.map(\.body))
    parameters.append(column: drafts.map(\.happenedAt))
    parameters.append(now)
  }

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (id: String, number: Int64)? {
    guard let id = try row.next(String?.self) else { return nil }
    return (id, try row.next())
  }
}

/// The pending deliveries of some endpoints, in their order.
struct PendingDeliveries: Statement {
  static let sql = """
    SELECT d.app_id, d.webhook_id, delivery_id, number, event, installation_id,
      from_installation_id, body, happened_at, attempts, first_attempt_at, last_attempt_at,
      next_attempt_at
    FROM unnest($1::int4[], $2::uuid[]) AS x (app_id, webhook_id)
    JOIN webhook_delivery AS d
      ON d.app_id = x.app_id AND d.webhook_id = x.webhook_id AND d.state = 'pending'
    ORDER BY number
    """
  let keys: [WebhookKey]

  func bind(to parameters: inout Parameters) {
    parameters.append(column: keys.map(\.appID))
    parameters.append(column: keys.map(\.id))
  }

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (key: WebhookKey, delivery: PendingDelivery) {
    let key = WebhookKey(appID: try row.next(), id: try row.next())
    let delivery = PendingDelivery(
      id: try row.next(), number: try row.next(), event: try row.next(),
      installation: try row.next(), from: try row.next(), body: try row.next(),
      happenedAt: try row.next(), attempts: Int(try row.next(Int16.self)),
      firstAttemptAt: try row.next(), lastAttemptAt: try row.next(),
      nextAttemptAt: try row.next(Timestamp?.self) ?? Timestamp(microseconds: 0))
    return (key, delivery)
  }
}

/// The result of an attempt, as it is stored.
struct AttemptRecord: Sendable {
  let key: WebhookKey
  let delivery: PendingDelivery
  let verdict: DeliveryVerdict
  let outcome: AttemptOutcome
  let began: Timestamp
  let milliseconds: Int32

  /// The word for the `state` of the delivery in the table.
  var state: String {
    switch verdict {
    case .delivered: "delivered"
    case .givenUp: "failed"
    case .tryAgain, .disabled: "pending"
    }
  }

  /// When the next attempt is due, if there is to be one.
  var next: Timestamp? {
    switch verdict {
    case .delivered, .givenUp: nil
    case .tryAgain(let time): time
    case .disabled: delivery.nextAttemptAt
    }
  }

  /// The status of an answer; `nil` without an answer.
  var status: Int16? {
    if case .answered(let status, _) = outcome { Int16(clamping: status) } else { nil }
  }

  /// The failure of an attempt without an answer.
  var failure: String? {
    if case .failed(let failure) = outcome { failure.rawValue } else { nil }
  }
}

/// Stores the results of attempts.
struct RecordAttempts: Statement {
  static let sql = """
    UPDATE webhook_delivery AS d SET state = x.state, attempts = x.attempts,
      first_attempt_at = x.first_at, last_attempt_at = x.last_at, next_attempt_at = x.next_at,
      status = x.status, failure = x.failure, duration_ms = x.duration
    FROM unnest($1::int4[], $2::uuid[], $3::text[], $4::text[], $5::int2[], $6::timestamptz[],
        $7::timestamptz[], $8::timestamptz[], $9::int2[], $10::text[], $11::int4[])
      AS x (app_id, webhook_id, id, state, attempts, first_at, last_at, next_at, status, failure,
        duration)
    WHERE d.app_id = x.app_id AND d.webhook_id = x.webhook_id AND d.delivery_id = x.id
      AND d.state = 'pending'
      AND \(DatabaseLease.isHeld(WebhookDeliverer.lease, number: "$12"))
    """
  let attempts: [AttemptRecord]
  let lease: Int64

  func bind(to parameters: inout Parameters) {
    parameters.append(column: attempts.map(\.key.appID))
    parameters.append(column: attempts.map(\.key.id))
    parameters.append(column: attempts.map(\.delivery.id))
    parameters.append(column: attempts.map(\.state))
    parameters.append(column: attempts.map { Int16(clamping: $0.delivery.attempts) })
    parameters.append(column: attempts.map(\.delivery.firstAttemptAt))
    parameters.append(column: attempts.map(\.began))
    parameters.append(column: attempts.map(\.next))
    parameters.append(column: attempts.map(\.status))
    parameters.append(column: attempts.map(\.failure))
    parameters.append(column: attempts.map(\.milliseconds))
    parameters.append(lease)
  }
}

extension Command where Self == Query<Void> {
  /// Forgets the deliveries of an endpoint that are over, but for the latest of each outcome.
  static func cutDeliveries(key: WebhookKey) -> Self {
    Query(
      """
      DELETE FROM webhook_delivery AS d
      USING unnest(ARRAY['delivered', 'failed']) AS over (state)
      WHERE app_id = \(key.appID) AND webhook_id = \(key.id) AND d.state = over.state
        AND number <= (
        SELECT number FROM webhook_delivery AS kept
        WHERE kept.app_id = \(key.appID) AND kept.webhook_id = \(key.id)
          AND kept.state = over.state
        ORDER BY number DESC OFFSET \(Limits.webhookHistory) LIMIT 1)
      """)
  }
}

// MARK: For people

extension Command where Self == Query<Void> {
  /// Stores a trial, which is over.
  static func insertTrial(attempt: AttemptRecord) -> Self {
    Query(
      """
      INSERT INTO webhook_delivery (app_id, webhook_id, delivery_id, event, body, happened_at,
        state, attempts, first_attempt_at, last_attempt_at, status, failure, duration_ms)
      SELECT \(attempt.key.appID), \(attempt.key.id), \(attempt.delivery.id),
        \(attempt.delivery.event), \(attempt.delivery.body), \(attempt.began),
        \(attempt.state), 1, \(attempt.began), \(attempt.began), \(attempt.status),
        \(attempt.failure), \(attempt.milliseconds)
      WHERE EXISTS (
        SELECT FROM webhook WHERE app_id = \(attempt.key.appID)
          AND webhook_id = \(attempt.key.id))
      """)
  }
}

extension Command where Self == Query<DeliveryRow> {
  /// An endpoint's deliveries, the latest first: a page and one row more, or all.
  static func listDeliveries(
    key: WebhookKey, state: DeliveryState?, before: Int64, limit: Int?
  ) -> Self {
    Query(
      """
      SELECT delivery_id, number, event, installation_id, happened_at, state, attempts,
        last_attempt_at, next_attempt_at, status, failure, duration_ms
      FROM webhook_delivery
      WHERE app_id = \(key.appID) AND webhook_id = \(key.id)
        AND (\(state?.rawValue)::text IS NULL OR state = \(state?.rawValue))
        AND number < \(before)
      ORDER BY number DESC LIMIT \(limit.map { Int64($0 + 1) })
      """, into: DeliveryRow.init)
  }
}

extension Command where Self == Query<String> {
  /// Makes one delivery go out again.
  static func repeatDelivery(key: WebhookKey, id: String, now: Timestamp) -> Self {
    Query(
      """
      UPDATE webhook_delivery SET state = 'pending', attempts = 0, first_attempt_at = NULL,
        next_attempt_at = \(now)
      WHERE app_id = \(key.appID) AND webhook_id = \(key.id) AND delivery_id = \(id)
      RETURNING delivery_id
      """)
  }
}

extension Command where Self == Query<Void> {
  /// Makes all pending deliveries go out now, as if they had not been tried.
  static func renewPending(key: WebhookKey, now: Timestamp) -> Self {
    Query(
      """
      UPDATE webhook_delivery SET attempts = 0, first_attempt_at = NULL, next_attempt_at = \(now)
      WHERE app_id = \(key.appID) AND webhook_id = \(key.id) AND state = 'pending'
      """)
  }
}

extension Command where Self == Query<Void> {
  /// Forgets the pending deliveries: the endpoint goes on from another place in the feed.
  static func dropPending(key: WebhookKey) -> Self {
    Query(
      """
      DELETE FROM webhook_delivery WHERE app_id = \(key.appID) AND webhook_id = \(key.id)
        AND state = 'pending'
      """)
  }
}
