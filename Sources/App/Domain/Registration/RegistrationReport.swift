import JSON
import Postgres
import Rendering

/// The body of `PUT` and `PATCH …/installations/{id}`: what an app says about itself.
///
/// A field left out keeps its value, `null` clears it. Secondary data that cannot be read or is
/// beyond its limits is left out and listed, so that no token is lost over it; wrong types, ids,
/// tokens and environments are refused.
struct RegistrationReport: Sendable, Equatable, RequestBody {
  static var policy: FieldPolicy { .lenient }

  var platform: Platform?
  var environment: Environment?
  var credentials = PerKind<Change<DeviceToken>>()
  var languages = Change<[String]>.keep
  var locale = Change<String>.keep
  var timeZone = Change<String>.keep
  var appVersion = Change<String>.keep
  var appBuild = Change<String>.keep
  var osVersion = Change<String>.keep
  var deviceModel = Change<String>.keep
  var localization = Change<LocalizationPreference>.keep
  var capabilities = Change<[String]>.keep
  var authorization = Change<Authorization>.keep
  var backgroundRefresh = Change<BackgroundRefresh>.keep
  var user = Change<ReportedUser>.keep
  var tags = Change<[String]>.keep
  var attributes = Change<Attributes>.keep
  /// When it was so, by the device's clock.
  var reportedAt: Timestamp?

  /// A report that says nothing.
  init() {}

  init(reading fields: FieldReader) { self.init(reading: fields) { _, _ in } }

  /// Reads a report whose credentials say more than their tokens.
  /// - Parameter credential: Reads the rest of the object of a kind.
  init(reading fields: FieldReader, credential: (CredentialKind, FieldReader) -> Void) {
    platform = fields.unclearable(fields.word("platform"), "platform")
    environment = fields.unclearable(fields.word("environment"), "environment")
    credentials = fields.credentials(credential)
    languages = fields.texts(
      "languages", maximumCount: Limits.languages, maximum: Limits.languageTagBytes,
      isSecondary: true, fault: languageFault)
    locale = fields.text("locale", maximum: Limits.localeBytes, isSecondary: true)
    timeZone = fields.timeZone("time_zone")
    appVersion = fields.version("app_version")
    appBuild = fields.version("app_build")
    osVersion = fields.version("os_version")
    deviceModel = fields.text("device_model", maximum: Limits.versionBytes, isSecondary: true)
    localization = fields.word("localization", isSecondary: true)
    capabilities = fields.texts(
      "capabilities", maximumCount: Limits.capabilities, maximum: Limits.capabilityBytes,
      isSecondary: true)
    authorization = fields.authorization()
    backgroundRefresh = fields.word("background_refresh", isSecondary: true)
    user = fields.object("user", ReportedUser.init(reading:))
    tags = fields.texts(
      "tags", maximumCount: Limits.tags, maximum: Limits.tagBytes, isSecondary: true)
    attributes = fields.attributes("attributes")
    reportedAt = fields.timestamp("reported_at").value
  }
}

/// The person who is logged in, as the app or the backend says.
struct ReportedUser: Sendable, Equatable {
  /// The app's own id of the person; `nil` logs out.
  var id: String?
  /// The proof, when the app's identity verification asks for one.
  var token: String?

  /// A person.
  init(id: String?, token: String? = nil) {
    self.id = id
    self.token = token
  }

  init?(reading fields: FieldReader) {
    let id = fields.text("id", maximum: Limits.userIDBytes, minimum: 1)
    token = fields.text("token", maximum: Limits.userTokenBytes, isSecondary: true).value
    if case .clear = id {
      self.id = nil
    } else {
      guard let present = fields.required(id, "id") else { return nil }
      self.id = present
    }
  }
}

extension FieldReader {
  /// `{"apns": {"token": "…"}, "voip": null}`; null for all clears every kind.
  fileprivate func credentials(
    _ credential: (CredentialKind, FieldReader) -> Void
  ) -> PerKind<Change<DeviceToken>> {
    var credentials = PerKind<Change<DeviceToken>>()
    let change = object("credentials") { fields -> Void? in
      for kind in CredentialKind.allCases {
        let change = fields.object(kind.rawValue) { fields in
          credential(kind, fields)
          return fields.requiredToken()
        }
        if case .keep = change { continue }
        credentials[kind] = change
      }
      return ()
    }
    if case .clear = change {
      for kind in CredentialKind.allCases { credentials[kind] = .clear }
    }
    return credentials
  }

  /// The token in the field `token`; `nil` after noting what is wrong with it.
  func requiredToken() -> DeviceToken? {
    // The form <…> with spaces is longer than the hex; what is far too long is told by its length.
    let maximum = Limits.deviceTokenMaximumBytes * 4
    guard let text = required(text("token", maximum: maximum), "token") else { return nil }
    do {
      return try DeviceToken(parsing: text)
    } catch {
      refuse(error.problem(at: place("token")))
      return nil
    }
  }

  fileprivate func authorization() -> Change<Authorization> {
    object("authorization") { fields in
      let status = fields.required(
        fields.word("status", of: AuthorizationStatus.self, isSecondary: true), "status")
      var switches: [AuthorizationSwitch: Bool] = [:]
      for name in AuthorizationSwitch.allCases {
        switches[name] = fields.flag(name.rawValue).value
      }
      return status.map { Authorization(status: $0, switches: switches) }
    }
  }
}
