import FoundationEssentials
import Postgres

/// A failure as it is stored: a row of `registration_failure`.
struct RegistrationFailure: Sendable, Equatable {
  var appID: Int32
  var id: UUID
  var report: FailureReport
  /// By the device's clock, or the arrival when it did not say.
  var occurredAt: Timestamp
  var receivedAt: Timestamp
}

extension RegistrationFailure {
  /// A failure that arrives now. A device's clock that is ahead, or before 1970, is not believed.
  init(_ report: FailureReport, appID: Int32, id: UUID, now: Timestamp) {
    let isBelievable = report.occurredAt.map { (TimeCursor.start.time...now).contains($0) } ?? false
    self.init(
      appID: appID, id: id, report: report,
      occurredAt: isBelievable ? report.occurredAt ?? now : now, receivedAt: now)
  }
}

/// Stores a failure.
struct InsertFailure: Statement {
  static let sql = """
    INSERT INTO registration_failure (app_id, id, installation_id, kind, domain, code, message,
      environment, platform, app_version, os_version, device_model, occurred_at, received_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    """
  let failure: RegistrationFailure

  func bind(to parameters: inout Parameters) {
    let report = failure.report
    parameters.append(failure.appID)
    parameters.append(failure.id)
    parameters.append(report.installationID?.uuid)
    parameters.append(report.kind.rawValue)
    parameters.append(report.domain)
    parameters.append(report.code)
    parameters.append(report.message)
    parameters.append(report.environment?.rawValue)
    parameters.append(report.platform?.rawValue)
    parameters.append(report.appVersion)
    parameters.append(report.osVersion)
    parameters.append(report.deviceModel)
    parameters.append(failure.occurredAt)
    parameters.append(failure.receivedAt)
  }
}

/// Failures, newest first: a page and one row more, or all.
struct ListFailures: Statement {
  static let isPlannedEachTime = true
  static let sql = """
    SELECT app_id, id, installation_id, kind, domain, code, message,
      environment, platform, app_version, os_version, device_model, occurred_at, received_at
    FROM registration_failure
    WHERE app_id = $1
      AND (occurred_at, id) < ($2, $3)
      AND ($4::text IS NULL OR kind = $4)
      AND ($5::text IS NULL OR domain = $5)
      AND ($6::int8 IS NULL OR code = $6)
      AND ($7::text IS NULL OR app_version = $7)
      AND ($8::text IS NULL OR os_version = $8)
      AND ($9::uuid IS NULL OR installation_id = $9)
      AND occurred_at >= $10
    ORDER BY occurred_at DESC, id DESC
    LIMIT $11
    """
  let appID: Int32
  /// The last row of the page before. A first page begins at ``end(until:)``.
  var before = ListFailures.end(until: nil)
  var kind: FailureKind?
  var domain: String?
  var code: Int64?
  var appVersion: String?
  var osVersion: String?
  var installationID: InstallationID?
  /// From this time on.
  var since = TimeCursor.start.time
  /// Rows of a page; `nil` for all.
  let limit: Int?

  /// The place behind everything that occurred before a time.
  static func end(until time: Timestamp?) -> TimeCursor {
    // The year 9999: the last that RFC 3339 can write.
    let end = time ?? Timestamp(microseconds: 253_402_300_799_000_000)
    return TimeCursor(time: end, id: TimeCursor.start.id)
  }

  func bind(to parameters: inout Parameters) {
    parameters.append(appID)
    parameters.append(before.time)
    parameters.append(before.id)
    parameters.append(kind?.rawValue)
    parameters.append(domain)
    parameters.append(code)
    parameters.append(appVersion)
    parameters.append(osVersion)
    parameters.append(installationID?.uuid)
    parameters.append(since)
    parameters.append(limit.map { Int64($0 + 1) })
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> RegistrationFailure {
    try RegistrationFailure(row: &row)
  }
}

extension RegistrationFailure {
  fileprivate init(row: inout RowReader) throws(PostgresError) {
    appID = try row.next()
    id = try row.next()
    let installationID = try row.nextOptional(UUID.self)
    report = FailureReport(
      kind: try row.nextWord(), domain: try row.next(), code: try row.next(),
      message: try row.nextOptional())
    report.installationID = installationID.map { InstallationID($0) }
    report.environment = try row.nextOptionalWord()
    report.platform = try row.nextOptionalWord()
    report.appVersion = try row.nextOptional()
    report.osVersion = try row.nextOptional()
    report.deviceModel = try row.nextOptional()
    occurredAt = try row.next()
    report.occurredAt = occurredAt
    receivedAt = try row.next()
  }
}
