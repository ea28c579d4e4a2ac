import DeviceProfile
import Postgres
import Registry

/// Makes the row of an environment's breaker, unless it is there.
struct InsertFeedbackBreaker: Statement {
  static let sql = """
    INSERT INTO feedback_breaker (app_id, environment, refused, refused_at, accepted,
      accepted_before, accepted_since)
    VALUES ($1, $2, '{}', '{}', 0, 0, $3)
    ON CONFLICT (app_id, environment) DO NOTHING
    """
  let key: BreakerKey
  let now: Timestamp

  func bind(to parameters: inout Parameters) {
    parameters.append(key)
    parameters.append(now)
  }
}

/// An environment's breaker, locked until the transaction ends.
struct LockFeedbackBreaker: Statement {
  typealias Row = FeedbackBreaker
  static let sql = """
    SELECT \(FeedbackBreaker.selection) FROM feedback_breaker
    WHERE app_id = $1 AND environment = $2
    FOR UPDATE
    """
  let key: BreakerKey

  func bind(to parameters: inout Parameters) { parameters.append(key) }
}

/// The breakers of an app that ever heard of a refusal.
struct LoadFeedbackBreakers: Statement {
  static let sql = """
    SELECT environment, \(FeedbackBreaker.selection) FROM feedback_breaker WHERE app_id = $1
    """
  let appID: Int32

  func bind(to parameters: inout Parameters) { parameters.append(appID) }

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (environment: Environment, breaker: FeedbackBreaker) {
    (try row.next(), try FeedbackBreaker(row: &row))
  }
}

/// Stores the state of a breaker that is locked.
struct UpdateFeedbackBreaker: Statement {
  static let sql = """
    UPDATE feedback_breaker
    SET refused = $3, refused_at = $4, accepted = $5, accepted_before = $6, accepted_since = $7,
      opened_at = $8, last_refused_at = $9, trusted_until = $10
    WHERE app_id = $1 AND environment = $2
    """
  let key: BreakerKey
  let breaker: FeedbackBreaker

  func bind(to parameters: inout Parameters) {
    parameters.append(key)
    parameters.append(
      breaker.refusals.map { Bytea($0.token.bytes) }, breaker.refusals.map(\.at),
      Int64(breaker.accepted.count), Int64(breaker.accepted.before), breaker.accepted.since,
      breaker.openedAt, breaker.lastRefusedAt, breaker.trustedUntil)
  }
}

extension Parameters {
  fileprivate mutating func append(_ key: BreakerKey) {
    append(key.appID, key.environment.rawValue)
  }
}

extension FeedbackBreaker: RowDecodable {
  fileprivate static let selection = """
    refused, refused_at, accepted, accepted_before, accepted_since, opened_at, last_refused_at, \
    trusted_until
    """

  /// Reads the columns of ``selection``.
  init(row: inout RowReader) throws(PostgresError) {
    let tokens = try row.next([Bytea].self).map { DeviceToken(bytes: $0.bytes) }
    let times = try row.next([Timestamp].self)
    let (count, before) = (try row.next(Int64.self), try row.next(Int64.self))
    self.init(at: try row.next())
    (accepted.count, accepted.before) = (Int(count), Int(before))
    openedAt = try row.next()
    lastRefusedAt = try row.next()
    trustedUntil = try row.next()
    refusals = zip(tokens, times).compactMap { token, time in
      token.map { Refusal(token: $0, at: time) }
    }
  }
}
