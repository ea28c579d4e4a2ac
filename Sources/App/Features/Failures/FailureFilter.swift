import ASCII
import FoundationEssentials
import JSON
import Postgres
import Registry

/// Which of an app's failures a list or a summary is about: all conditions hold.
struct FailureFilter: Sendable {
  let appID: Int32
  var kind: FailureKind?
  var domain: String?
  var code: Int64?
  var appVersion: String?
  var osVersion: String?
  var installationID: InstallationID?
  /// The earliest time at which it occurred.
  var since = TimeCursor.start.time
  /// Before this time.
  var until = TimeCursor.end.time

  /// Reads the query parameters.
  init(_ query: inout QueryReader, appID: Int32) {
    self.appID = appID
    kind = query.parsed(
      "kind", .unknownValue, "kind is apns, voip or authorization.", FailureKind.init(spelled:))
    domain = query.text("domain", maximum: Limits.errorDomainBytes)
    code = query.parsed("code", .wrongType, "code is an integer.") { Int64($0) }
    appVersion = query.text("app_version", maximum: RegistryLimits.versionBytes)
    osVersion = query.text("os_version", maximum: RegistryLimits.versionBytes)
    installationID = query.parsed(
      "installation_id", .invalidUUID, "installation_id is a UUID."
    ) { InstallationID($0) }
    since = query.timestamp("since") ?? since
    until = query.timestamp("until") ?? until
  }

  /// The conditions, over the parameters `$1` to `$9`. A failure came after it had occurred, so
  /// months before `since` are not looked at.
  static let sql = """
    app_id = $1
      AND ($2::text IS NULL OR kind = $2)
      AND ($3::text IS NULL OR domain = $3)
      AND ($4::int8 IS NULL OR code = $4)
      AND ($5::text IS NULL OR app_version = $5)
      AND ($6::text IS NULL OR os_version = $6)
      AND ($7::uuid IS NULL OR installation_id = $7)
      AND occurred_at >= $8 AND received_at >= $8
      AND occurred_at < $9
    """

  func bind(to parameters: inout Parameters) {
    parameters.append(
      appID, kind?.rawValue, domain, code, appVersion, osVersion, installationID?.uuid, since,
      until)
  }
}
