internal import DeviceProfile
internal import Postgres
internal import Registry

/// The counts of the registry, taken now and then for the metrics: never for a request, and on a
/// connection of their own, so that nobody waits behind them.
struct Census: Sendable, Equatable {
  var tokens = TokenCounts()
  /// Breakers of feedback that are open, by environment; an environment without one is left out.
  var openBreakers: [Environment: Int] = [:]

  /// The counts that quotas bound, by app.
  var usage: [Int32: AppUsage.Counts] = [:]

  /// Reads all installations once.
  static func take(_ context: LoopContext) async throws -> Self {
    var census = Self()
    let now = context.shared.clock()
    let tokens = try await context.readBehind {
      try await $0.readApart(.countTokens(), timeoutMilliseconds: Limits.censusMilliseconds)
    }
    for row in tokens {
      census.usage[row.appID, default: .init(day: now.day)].installations += Int(row.count)
      census.tokens.add(row.words, of: row.count)
    }
    let midnight = Timestamp(microseconds: now.day * 86_400_000_000)
    let failures = try await context.database.readApart(
      .countFailures(since: midnight), timeoutMilliseconds: Limits.censusMilliseconds)
    for row in failures {
      census.usage[row.appID, default: .init(day: now.day)].failures = Int(row.count)
    }
    let closed = now.advanced(by: .zero - Limits.breakerRest)
    for row in try await context.database.read(.countOpenBreakers(after: closed)) {
      census.openBreakers[row.environment] = Int(row.count)
    }
    return census
  }
}

extension Command where Self == Query<(appID: Int32, words: String, count: Int64)> {
  /// How many installations of each app have the same words of tokens.
  static func countTokens() -> Self {
    Query(
      """
      SELECT app_id, \(constant: tokenWords), count(*) FROM installation
      WHERE app_id IN (SELECT id FROM app WHERE deleted_at IS NULL)
      GROUP BY 1, 2
      """
    ) { row in (try row.next(), try row.next(), try row.next()) }
  }
}

extension Command where Self == Query<(appID: Int32, count: Int64)> {
  /// How many failures of each app arrived from a time on.
  static func countFailures(since: Timestamp) -> Self {
    Query(
      """
      SELECT app_id, count(*) FROM registration_failure WHERE received_at >= \(since) GROUP BY 1
      """
    ) { row in (try row.next(), try row.next()) }
  }
}

extension Command where Self == Query<(environment: Environment, count: Int64)> {
  /// How many breakers of feedback are open, by environment: the breakers that opened, or heard of
  /// a refusal, after a time.
  static func countOpenBreakers(after: Timestamp) -> Self {
    Query(
      """
      SELECT environment, count(*) FROM feedback_breaker
      WHERE opened_at IS NOT NULL AND greatest(opened_at, last_refused_at) > \(after)
      GROUP BY environment
      """
    ) { row in (try row.next(), try row.next()) }
  }
}
