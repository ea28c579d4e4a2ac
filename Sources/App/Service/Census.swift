internal import DeviceProfile
internal import Postgres
internal import Registry

/// What the registry holds, counted now and then for the metrics: never for a request, and on a
/// connection of its own, so that nobody waits behind it.
struct Census: Sendable, Equatable {
  var tokens = TokenCounts()
  /// Breakers of feedback that are open, by environment; what has none is left out.
  var openBreakers: [Environment: Int] = [:]

  /// What quotas bound, by app.
  var usage: [Int32: AppUsage.Counts] = [:]

  /// Reads all installations once.
  static func take(_ context: LoopContext) async throws -> Self {
    var census = Self()
    let now = context.shared.clock()
    let tokens = try await context.readBehind {
      try await $0.readApart(CountTokens(), timeoutMilliseconds: Limits.censusMilliseconds)
    }
    for row in tokens {
      census.usage[row.appID, default: .init(day: now.day)].installations += Int(row.count)
      census.tokens.add(row.words, of: row.count)
    }
    let midnight = Timestamp(microseconds: now.day * 86_400_000_000)
    let failures = try await context.database.readApart(
      CountFailures(since: midnight), timeoutMilliseconds: Limits.censusMilliseconds)
    for row in failures {
      census.usage[row.appID, default: .init(day: now.day)].failures = Int(row.count)
    }
    let closed = now.advanced(by: .zero - Limits.breakerRest)
    for row in try await context.database.read(CountOpenBreakers(after: closed)) {
      census.openBreakers[row.environment] = Int(row.count)
    }
    return census
  }
}

/// How many installations of each app have the same words of tokens.
struct CountTokens: Statement {
  static let sql = """
    SELECT app_id, \(tokenWords), count(*) FROM installation
    WHERE app_id IN (SELECT id FROM app WHERE deleted_at IS NULL)
    GROUP BY 1, 2
    """

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (appID: Int32, words: String, count: Int64) {
    (try row.next(), try row.next(), try row.next())
  }
}

/// How many failures of each app arrived from a time on.
struct CountFailures: Statement {
  static let sql = """
    SELECT app_id, count(*) FROM registration_failure WHERE received_at >= $1 GROUP BY 1
    """
  let since: Timestamp

  func bind(to parameters: inout Parameters) { parameters.append(since) }

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (appID: Int32, count: Int64) {
    (try row.next(), try row.next())
  }
}

/// How many breakers of feedback are open, by environment: those that opened, or heard of a
/// refusal, after a time.
struct CountOpenBreakers: Statement {
  static let sql = """
    SELECT environment, count(*) FROM feedback_breaker
    WHERE opened_at IS NOT NULL AND greatest(opened_at, last_refused_at) > $1
    GROUP BY environment
    """
  let after: Timestamp

  func bind(to parameters: inout Parameters) { parameters.append(after) }

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (environment: Environment, count: Int64) {
    (try row.nextWord(), try row.next())
  }
}
