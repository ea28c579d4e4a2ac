internal import Crypto
import DeviceProfile
import FoundationEssentials
import Postgres
import Registry

/// A failure as it is stored: a row of `registration_failure`.
struct RegistrationFailure: Sendable, Equatable {
  var appID: Int32
  var id: UUID
  var report: FailureReport
  /// By the device's clock, or the arrival when it did not say.
  var occurredAt: Timestamp
  var receivedAt: Timestamp
}

extension RegistrationFailure: RowDecodable {
  /// The number of rows that a failure may add: its own row, and the event of the feed when it
  /// makes a burst.
  static let addedRows = 2

  /// A failure that arrives now. A device's clock that is ahead, or before 1970, is not believed.
  init(_ report: FailureReport, appID: Int32, id: UUID, now: Timestamp) {
    let isBelievable = report.occurredAt.map { (TimeCursor.start.time...now).contains($0) } ?? false
    self.init(
      appID: appID, id: id, report: report,
      occurredAt: isBelievable ? report.occurredAt ?? now : now, receivedAt: now)
  }
}

/// Locks the id of a failure until the end of the transaction, so that other transactions that
/// store the same failure wait. A unique index would only work within a month's partition, and a
/// failure that is sent again after the end of the month is still the same.
struct LockFailure: Statement {
  static let sql = "SELECT pg_advisory_xact_lock(hashtextextended($1 || ':' || $2, 0))"
  let failure: RegistrationFailure

  func bind(to parameters: inout Parameters) {
    parameters.append(String(failure.appID), failure.id.text)
  }
}

/// Stores a failure, unless a failure with its id is stored. Then there is no row.
struct InsertFailure: Statement {
  typealias Row = UUID
  static let sql = """
    INSERT INTO registration_failure (app_id, id, installation_id, kind, domain, code, message,
      environment, platform, app_version, os_version, device_model, occurred_at, received_at)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14
    WHERE NOT EXISTS (SELECT FROM registration_failure WHERE app_id = $1 AND id = $2)
    RETURNING id
    """
  let failure: RegistrationFailure

  func bind(to parameters: inout Parameters) {
    let report = failure.report
    parameters.append(
      failure.appID, failure.id, report.installationID?.uuid, report.kind.rawValue, report.domain,
      report.code, report.message, report.environment?.rawValue, report.platform?.rawValue,
      report.appVersion, report.osVersion, report.deviceModel, failure.occurredAt,
      failure.receivedAt)
  }
}

/// The number of recent failures of a kind. It looks at a limited number of failures, enough to see
/// a burst.
struct CountRecentFailures: Statement {
  typealias Row = Int64
  static let sql = """
    SELECT count(*) FILTER (WHERE kind = $2) FROM (
      SELECT kind FROM registration_failure WHERE app_id = $1 AND occurred_at > $3
      ORDER BY occurred_at DESC LIMIT $4
    ) AS recent
    """
  let failure: RegistrationFailure

  func bind(to parameters: inout Parameters) {
    parameters.append(
      failure.appID, failure.report.kind.rawValue,
      failure.receivedAt.advanced(by: .zero - Limits.failureBurstWindow), Limits.failuresLookedAt)
  }
}

extension Command where Self == Query<RegistrationFailure> {
  /// Failures, newest first: a page and one row more, or all.
  /// - Parameters:
  ///   - before: The last row of the page before.
  ///   - limit: Rows of a page; `nil` for all.
  static func listFailures(_ filter: FailureFilter, before: TimeCursor, limit: Int?) -> Self {
    Query(
      """
      SELECT app_id, id, installation_id, kind, domain, code, message,
        environment, platform, app_version, os_version, device_model, occurred_at, received_at
      FROM registration_failure
      WHERE \(filter.condition) AND (occurred_at, id) < (\(before.time), \(before.id))
      ORDER BY occurred_at DESC, id DESC
      LIMIT \(limit.map { Int64($0 + 1) })
      """)
  }
}

extension RegistrationFailure {
  init(row: inout RowReader) throws(PostgresError) {
    appID = try row.next()
    id = try row.next()
    let installationID = try row.next(InstallationID?.self)
    report = FailureReport(
      kind: try row.next(), domain: try row.next(), code: try row.next(),
      message: try row.next())
    report.installationID = installationID
    report.environment = try row.next()
    report.platform = try row.next()
    report.appVersion = try row.next()
    report.osVersion = try row.next()
    report.deviceModel = try row.next()
    occurredAt = try row.next()
    report.occurredAt = occurredAt
    receivedAt = try row.next()
  }
}
