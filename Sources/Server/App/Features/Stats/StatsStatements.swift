import DeviceProfile
import Postgres
import Registry

/// The dimensions by which installations are counted.
enum StatsDimension: String, PostgresValue, CaseIterable {
  case platform, environment
  /// A token, by its kind and status; an installation may have many.
  case token
  /// The first language; the rest are fallbacks.
  case language
  case appVersion = "app_version"
  case osVersion = "os_version"

  /// The SQL of its value in a row of `installation`.
  fileprivate var sql: String {
    switch self {
    case .token: tokenWords
    case .language: "languages[1]"
    default: rawValue
    }
  }

  /// The SQL of its values in a row of `combination`, as a row or more.
  fileprivate var values: String {
    self == .token
      ? "SELECT 'token', unnest(string_to_array(token, ' '))"
      : "VALUES ('\(rawValue)', \(rawValue))"
  }
}

/// The number of installations with a value.
struct ValueCount: Sendable {
  let dimension: StatsDimension
  /// `nil` for installations without a value, and for the rest (``isRest``).
  let value: String?
  /// Whether this is the count of all values that are not among the most frequent ones.
  let isRest: Bool
  let count: Int64
}

extension Command where Self == Query<ValueCount> {
  /// The number of installations that a filter lets through, for each of the most frequent values
  /// of each dimension, and for all other values together. Apps send versions and languages as they
  /// like, so there may be millions of values.
  ///
  /// The rows of an app are read once. Grouped by all dimensions together, they are few enough to
  /// be counted once for each dimension. This takes one second of processor time for a million
  /// rows. A row for each dimension took two seconds, and a scan for each dimension two and a half.
  /// Grouping here instead would have held up a loop with a hundred thousand rows.
  static func countInstallations(_ filter: InstallationFilter, _ ids: [InstallationID]?) -> Self {
    let dimensions = StatsDimension.allCases
    let columns = dimensions.map { "\($0.sql) AS \($0.rawValue)" }.joined(separator: ", ")
    let numbers = dimensions.indices.map { "\($0 + 1)" }.joined(separator: ", ")
    let top = Limits.statsValues
    let values = dimensions.map(\.values).joined(separator: " UNION ALL ")
    return Query(
      """
      WITH combination AS MATERIALIZED (
        SELECT \(constant: columns), count(*) AS installations
        FROM installation WHERE \(filter.condition(ids))
        GROUP BY \(constant: numbers)
      )
      SELECT dimension, CASE WHEN place <= \(constant: top) THEN value END,
        place > \(constant: top), sum(installations)::int8
      FROM (
        SELECT dimension, value, sum(installations) AS installations, row_number() OVER (
            PARTITION BY dimension ORDER BY sum(installations) DESC, value COLLATE "C" NULLS FIRST
          ) AS place
        FROM combination CROSS JOIN LATERAL (\(constant: values)) AS pair (dimension, value)
        GROUP BY dimension, value
      ) AS counted
      GROUP BY 1, 2, 3
      """, into: ValueCount.init)
  }
}

extension Command where Self == Query<(day: Timestamp, count: Int64)> {
  /// The number of installations that a filter lets through and that were created on each day (UTC)
  /// from `since` on; days without any are left out.
  static func countCreatedByDay(
    since: Timestamp, _ filter: InstallationFilter, _ ids: [InstallationID]?
  ) -> Self {
    Query(
      """
      SELECT date_trunc('day', created_at, 'UTC'), count(*) FROM installation
      WHERE \(filter.condition(ids)) AND created_at >= \(since) GROUP BY 1
      """
    ) { row in (try row.next(), try row.next()) }
  }

  /// The number of failed registrations on each day (UTC) from `since` on; days without any are
  /// left out.
  static func countFailedByDay(appID: Int32, since: Timestamp) -> Self {
    Query(
      """
      SELECT date_trunc('day', occurred_at, 'UTC'), count(*) FROM registration_failure
      WHERE app_id = \(appID) AND occurred_at >= \(since) GROUP BY 1
      """
    ) { row in (try row.next(), try row.next()) }
  }
}

extension Command where Self == Query<String> {
  /// Builds without a catalog of which no event has told yet.
  static func untoldBuilds(appID: Int32, builds: [String]) -> Self {
    Query(
      """
      SELECT DISTINCT build FROM unnest(\(builds)::text[]) AS seen (build)
      WHERE build NOT IN (
        SELECT app_build FROM app_history
        WHERE app_id = \(appID) AND event = 'build_without_catalog' AND installation_id IS NULL
          AND app_build IS NOT NULL)
      ORDER BY build
      """)
  }
}

/// An event of tokens that the days of an app count.
enum CountedTokenEvent: String, PostgresValue {
  /// A token replaced an earlier one.
  case rotated
  /// APNs refused a token.
  case refused
}

extension Command
where Self == Query<(day: Timestamp, event: CountedTokenEvent, count: Int64)> {
  /// The numbers of replaced and of refused tokens on each day (UTC) from `since` on; days without
  /// any are left out.
  static func countTokenEventsByDay(appID: Int32, since: Timestamp) -> Self {
    Query(
      """
      SELECT date_trunc('day', at, 'UTC'),
        CASE event WHEN 'rotated' THEN 'rotated' ELSE 'refused' END, count(*)
      FROM token_history
      WHERE app_id = \(appID) AND at >= \(since)
        AND event IN ('rotated', 'invalidated', 'quarantined')
      GROUP BY 1, 2
      """
    ) { row in (try row.next(), try row.next(), try row.next()) }
  }
}

extension Command where Self == Query<(environment: Environment, openedAt: Timestamp)> {
  /// The environments whose feedback is not believed at a time. A breaker closes by itself after a
  /// while without a refusal, and its row says so only when the next refusal comes.
  static func openBreakers(appID: Int32, now: Timestamp) -> Self {
    Query(
      """
      SELECT environment, opened_at FROM feedback_breaker
      WHERE app_id = \(appID) AND opened_at IS NOT NULL AND greatest(opened_at,
        last_refused_at) > \(now.advanced(by: .zero - Limits.breakerRest))
      ORDER BY environment
      """
    ) { row in (try row.next(), try row.next()) }
  }
}
