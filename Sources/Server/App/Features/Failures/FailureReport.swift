import DeviceProfile
import JSON
import Postgres
import Registry

/// The token or permission that the app did not get.
enum FailureKind: String, PostgresValue, CaseIterable {
  /// `didFailToRegisterForRemoteNotificationsWithError`.
  case apns
  /// PushKit gave no token.
  case voip
  /// The permission prompt failed.
  case authorization
}

/// The body of `POST …/failures`: an `NSError` as the app heard it. Its text is localized into the
/// device's language, so only domain and code classify it.
struct FailureReport: Sendable, Equatable {
  /// The id that the app gave the failure, so that it can send the failure again.
  var id: InstallationID?
  var kind: FailureKind
  /// The error's domain, kept verbatim.
  var domain: String
  /// The error's code, often negative.
  var code: Int64
  var message: String?
  var installationID: InstallationID?
  var environment: Environment?
  var platform: Platform?
  var appVersion: String?
  var osVersion: String?
  var deviceModel: String?
  /// By the device's clock.
  var occurredAt: Timestamp?
}

extension FailureReport: RequestBody {
  static var policy: FieldPolicy { .lenient }

  init?(reading fields: FieldReader) {
    let kind = fields.required(fields.word("kind", of: FailureKind.self), "kind")
    let error = fields.required(
      fields.object("error", ReportedError.init(reading:)), "error")
    id = fields.installationID("id").value
    installationID = fields.installationID("installation_id").value
    environment = fields.word("environment").value
    platform = fields.word("platform").value
    appVersion = fields.version("app_version").value
    osVersion = fields.version("os_version").value
    deviceModel =
      fields.text(
        "device_model", maximum: RegistryLimits.versionBytes, isSecondary: true
      ).value
    occurredAt = fields.timestamp("occurred_at").value
    guard let kind, let error else { return nil }
    self.kind = kind
    domain = error.domain
    code = error.code
    message = error.message
  }
}

/// The `error` object.
private struct ReportedError: Sendable {
  var domain: String
  var code: Int64
  var message: String?

  init?(reading fields: FieldReader) {
    let domain = fields.required(
      fields.text("domain", maximum: Limits.errorDomainBytes, minimum: 1), "domain")
    let code = fields.required(fields.integer("code", in: Int64.min...Int64.max), "code")
    message =
      fields.text(
        "message", maximum: Limits.errorMessageBytes, isSecondary: true
      ).value
    guard let domain, let code else { return nil }
    self.domain = domain
    self.code = code
  }
}
