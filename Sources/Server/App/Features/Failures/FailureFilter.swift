import ASCII
import FoundationEssentials
import JSON
import Postgres
import Registry

/// The conditions for an app's failures in a list or a summary. A failure must meet all of them.
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

  /// A failure arrives after it occurred, so months before `since` are not looked at.
  var condition: SQL {
    """
    app_id = \(appID)
      AND (\(kind?.rawValue)::text IS NULL OR kind = \(kind?.rawValue))
      AND (\(domain)::text IS NULL OR domain = \(domain))
      AND (\(code)::int8 IS NULL OR code = \(code))
      AND (\(appVersion)::text IS NULL OR app_version = \(appVersion))
      AND (\(osVersion)::text IS NULL OR os_version = \(osVersion))
      AND (\(installationID?.uuid)::uuid IS NULL OR installation_id = \(installationID?.uuid))
      AND occurred_at >= \(since) AND received_at >= \(since)
      AND occurred_at < \(until)
    """
  }
}
