internal import FoundationEssentials
internal import Postgres
internal import Registry

/// Moves an endpoint on in the feed, if it is still where it was and nobody has changed it, and
/// makes deliveries of the changes in between, in their order. A change that was one before becomes
/// one anew. It is one statement, so that an instance that freezes holds no lock in the middle.
///
/// There is no row when the endpoint was not moved, and a row of nothing when it was and there are
/// no deliveries.
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
    guard let id = try row.nextOptional(String.self) else { return nil }
    return (id, try row.next())
  }
}

/// What some endpoints are yet to get, in its order.
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
      installation: try row.nextOptional(), from: try row.nextOptional(), body: try row.next(),
      happenedAt: try row.next(), attempts: Int(try row.next(Int16.self)),
      firstAttemptAt: try row.nextOptional(), lastAttemptAt: try row.nextOptional(),
      nextAttemptAt: try row.nextOptional() ?? Timestamp(microseconds: 0))
    return (key, delivery)
  }
}

/// What an attempt came to, as it is stored.
struct AttemptRecord: Sendable {
  let key: WebhookKey
  let delivery: PendingDelivery
  let verdict: DeliveryVerdict
  let outcome: AttemptOutcome
  let began: Timestamp
  let milliseconds: Int32

  /// A word of the table.
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

  /// Of an answer.
  var status: Int16? {
    if case .answered(let status, _) = outcome { Int16(clamping: status) } else { nil }
  }

  /// Of an attempt without an answer.
  var failure: String? {
    if case .failed(let failure) = outcome { failure.rawValue } else { nil }
  }
}

/// Stores what attempts came to.
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

/// Forgets the deliveries of an endpoint that are over, but for the latest of each outcome.
struct CutDeliveries: Statement {
  static let sql = """
    DELETE FROM webhook_delivery AS d
    USING unnest(ARRAY['delivered', 'failed']) AS over (state)
    WHERE app_id = $1 AND webhook_id = $2 AND d.state = over.state AND number <= (
      SELECT number FROM webhook_delivery AS kept
      WHERE kept.app_id = $1 AND kept.webhook_id = $2 AND kept.state = over.state
      ORDER BY number DESC OFFSET $3 LIMIT 1)
    """
  let key: WebhookKey

  func bind(to parameters: inout Parameters) {
    parameters.append(key)
    parameters.append(Limits.webhookHistory)
  }
}

// MARK: For people

/// Notes a trial, which is over.
struct InsertTrial: Statement {
  static let sql = """
    INSERT INTO webhook_delivery (app_id, webhook_id, delivery_id, event, body, happened_at, state,
      attempts, first_attempt_at, last_attempt_at, status, failure, duration_ms)
    SELECT $1, $2, $3, $4, $5, $6, $7, 1, $6, $6, $8, $9, $10
    WHERE EXISTS (
      SELECT FROM webhook WHERE app_id = $1 AND webhook_id = $2)
    """
  let attempt: AttemptRecord

  func bind(to parameters: inout Parameters) {
    parameters.append(attempt.key)
    parameters.append(
      attempt.delivery.id, attempt.delivery.event, attempt.delivery.body, attempt.began,
      attempt.state, attempt.status, attempt.failure, attempt.milliseconds)
  }
}

/// An endpoint's deliveries, the latest first: a page and one row more, or all.
struct ListDeliveries: Statement {
  static let sql = """
    SELECT delivery_id, number, event, installation_id, happened_at, state, attempts,
      last_attempt_at, next_attempt_at, status, failure, duration_ms
    FROM webhook_delivery
    WHERE app_id = $1 AND webhook_id = $2 AND ($3::text IS NULL OR state = $3) AND number < $4
    ORDER BY number DESC LIMIT $5
    """
  static let isPlannedEachTime = true
  let key: WebhookKey
  let state: DeliveryState?
  let before: Int64
  let limit: Int?

  func bind(to parameters: inout Parameters) {
    parameters.append(key)
    parameters.append(state?.rawValue, before, limit.map { Int64($0 + 1) })
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> DeliveryRow {
    DeliveryRow(
      id: try row.next(), number: try row.next(), event: try row.next(),
      installation: try row.nextOptional(), happenedAt: try row.next(), state: try row.nextWord(),
      attempts: try row.next(), lastAttemptAt: try row.nextOptional(),
      nextAttemptAt: try row.nextOptional(), status: try row.nextOptional(),
      failure: try row.nextOptional(), milliseconds: try row.nextOptional())
  }
}

/// Has one delivery go out again.
struct RepeatDelivery: Statement {
  typealias Row = String
  static let sql = """
    UPDATE webhook_delivery SET state = 'pending', attempts = 0, first_attempt_at = NULL,
      next_attempt_at = $4
    WHERE app_id = $1 AND webhook_id = $2 AND delivery_id = $3
    RETURNING delivery_id
    """
  let key: WebhookKey
  let id: String
  let now: Timestamp

  func bind(to parameters: inout Parameters) {
    parameters.append(key)
    parameters.append(id, now)
  }
}

/// Has all that is pending go out now, as if it had not been tried.
struct RenewPending: Statement {
  static let sql = """
    UPDATE webhook_delivery SET attempts = 0, first_attempt_at = NULL, next_attempt_at = $3
    WHERE app_id = $1 AND webhook_id = $2 AND state = 'pending'
    """
  let key: WebhookKey
  let now: Timestamp

  func bind(to parameters: inout Parameters) {
    parameters.append(key)
    parameters.append(now)
  }
}

/// Forgets what is pending: the endpoint goes on from another place in the feed.
struct DropPending: Statement {
  static let sql = """
    DELETE FROM webhook_delivery WHERE app_id = $1 AND webhook_id = $2 AND state = 'pending'
    """
  let key: WebhookKey

  func bind(to parameters: inout Parameters) { parameters.append(key) }
}
