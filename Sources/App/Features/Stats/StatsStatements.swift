import DeviceProfile
import Postgres
import Registry

/// What installations are counted by.
enum StatsDimension: String, Sendable, CaseIterable {
  case platform, environment
  /// A token, by its kind and status; an installation may have many.
  case token
  /// The first one; the rest are fallbacks.
  case language
  case appVersion = "app_version"
  case osVersion = "os_version"

  /// What it is in a row.
  fileprivate var sql: String {
    switch self {
    case .token: tokenWords
    case .language: "languages[1]"
    default: rawValue
    }
  }

  /// What it is of a row of `combination`, as a row or more.
  fileprivate var values: String {
    self == .token
      ? "SELECT 'token', unnest(string_to_array(token, ' '))"
      : "VALUES ('\(rawValue)', \(rawValue))"
  }
}

/// How many installations have a value.
struct ValueCount: Sendable {
  let dimension: StatsDimension
  /// `nil` for none, and for many.
  let value: String?
  /// Whether it stands for all that are not among the most frequent values.
  let isRest: Bool
  let count: Int64
}

/// How many installations have each of the most frequent values of each dimension, and how many any
/// other: apps send versions and languages as they like, so there may be millions.
///
/// The rows of an app are read once. Grouping them by all dimensions together leaves few enough to
/// be counted once for each: at a million a second of processor time on the whole, where a row for
/// each dimension took two, a scan for each two and a half, and grouping here instead would have
/// held up a loop with a hundred thousand rows.
struct CountInstallations: ConditionedStatement {
  static func text(and condition: String) -> String {
    let dimensions = StatsDimension.allCases
    let columns = dimensions.map { "\($0.sql) AS \($0.rawValue)" }.joined(separator: ", ")
    let numbers = dimensions.indices.map { "\($0 + 1)" }.joined(separator: ", ")
    let top = Limits.statsValues
    let values = dimensions.map(\.values).joined(separator: " UNION ALL ")
    return """
      WITH combination AS MATERIALIZED (
        SELECT \(columns), count(*) AS installations FROM installation WHERE app_id = $1\(condition)
        GROUP BY \(numbers)
      )
      SELECT dimension, CASE WHEN place <= \(top) THEN value END, place > \(top),
        sum(installations)::int8
      FROM (
        SELECT dimension, value, sum(installations) AS installations, row_number() OVER (
            PARTITION BY dimension ORDER BY sum(installations) DESC, value COLLATE "C" NULLS FIRST
          ) AS place
        FROM combination CROSS JOIN LATERAL (\(values)) AS pair (dimension, value)
        GROUP BY dimension, value
      ) AS counted
      GROUP BY 1, 2, 3
      """
  }
  let appID: Int32
  /// Which of them, from `$2` on; `nil` for all.
  var condition: ConditionText?

  func bind(to parameters: inout Parameters) {
    parameters.append(appID)
    parameters.append(condition)
  }

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> ValueCount {
    ValueCount(
      dimension: try row.nextWord(), value: try row.nextOptional(), isRest: try row.next(),
      count: try row.next())
  }
}

/// Counts by day (UTC), from one on, of an app; days without any are left out.
protocol DailyCountStatement: Statement {
  var appID: Int32 { get }
  var since: Timestamp { get }
}

extension DailyCountStatement {
  static var isPlannedEachTime: Bool { true }

  func bind(to parameters: inout Parameters) { parameters.append(appID, since) }
}

/// How many installations were created on each day (UTC) from one on; days without any are left
/// out.
struct CountCreatedByDay: ConditionedStatement {
  static func text(and condition: String) -> String {
    """
    SELECT date_trunc('day', created_at, 'UTC'), count(*) FROM installation
    WHERE app_id = $1 AND created_at >= $2\(condition) GROUP BY 1
    """
  }
  let appID: Int32
  let since: Timestamp
  /// Which of them, from `$3` on; `nil` for all.
  var condition: ConditionText?

  func bind(to parameters: inout Parameters) {
    parameters.append(appID, since)
    parameters.append(condition)
  }

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (day: Timestamp, count: Int64) {
    (try row.next(), try row.next())
  }
}

/// How many registrations failed on each day (UTC) from one on; days without any are left out.
struct CountFailedByDay: DailyCountStatement {
  static let sql = """
    SELECT date_trunc('day', occurred_at, 'UTC'), count(*) FROM registration_failure
    WHERE app_id = $1 AND occurred_at >= $2 GROUP BY 1
    """
  let appID: Int32
  let since: Timestamp

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (day: Timestamp, count: Int64) {
    (try row.next(), try row.next())
  }
}

/// Builds of which nobody was told that they have no catalog.
struct UntoldBuilds: Statement {
  typealias Row = String
  static let sql = """
    SELECT DISTINCT build FROM unnest($2::text[]) AS seen (build)
    WHERE build NOT IN (
      SELECT app_build FROM app_history
      WHERE app_id = $1 AND event = 'build_without_catalog' AND installation_id IS NULL
        AND app_build IS NOT NULL)
    ORDER BY build
    """
  let appID: Int32
  let builds: [String]

  func bind(to parameters: inout Parameters) { parameters.append(appID, builds) }
}

/// What happened to tokens on a day that the days of an app tell.
enum CountedTokenEvent: String, Sendable {
  /// A token came in the place of an earlier one.
  case rotated
  /// APNs refused a token.
  case refused
}

/// How many tokens were replaced, and how many refused, on each day (UTC) from one on; days without
/// any are left out.
struct CountTokenEventsByDay: DailyCountStatement {
  static let sql = """
    SELECT date_trunc('day', at, 'UTC'),
      CASE event WHEN 'rotated' THEN 'rotated' ELSE 'refused' END, count(*)
    FROM token_history
    WHERE app_id = $1 AND at >= $2 AND event IN ('rotated', 'invalidated', 'quarantined')
    GROUP BY 1, 2
    """
  let appID: Int32
  let since: Timestamp

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (day: Timestamp, event: CountedTokenEvent, count: Int64) {
    (try row.next(), try row.nextWord(), try row.next())
  }
}

/// The environments whose feedback is not believed at a time: a breaker closes by itself after a
/// while without a refusal, and its row says so only when the next one comes.
struct OpenBreakers: Statement {
  static let sql = """
    SELECT environment, opened_at FROM feedback_breaker
    WHERE app_id = $1 AND opened_at IS NOT NULL AND greatest(opened_at, last_refused_at) > $2
    ORDER BY environment
    """
  let appID: Int32
  let now: Timestamp

  func bind(to parameters: inout Parameters) {
    parameters.append(appID, now.advanced(by: .zero - Limits.breakerRest))
  }

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (environment: Environment, openedAt: Timestamp) {
    (try row.nextWord(), try row.next())
  }
}
