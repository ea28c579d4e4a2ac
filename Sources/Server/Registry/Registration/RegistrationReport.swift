package import DeviceProfile
package import JSON
package import Postgres

/// The body of `PUT` and `PATCH …/installations/{id}`: what an app says about itself.
///
/// A field left out keeps its value, `null` clears it. Platform, environment, credentials, the
/// bundle id, the id of the person and `reported_at` are refused when they are wrong; all else is
/// secondary: a field that cannot be read or is beyond its limits is left out and listed, so that
/// no token is lost over it.
package struct RegistrationReport: Sendable, Equatable, RequestBody {
  package static var policy: FieldPolicy { .lenient }

  package var platform: Platform?
  package var environment: Environment?
  package var credentials = CredentialsReport()
  package var languages = Change<[String]>.keep
  package var locale = Change<String>.keep
  package var timeZone = Change<String>.keep
  package var appVersion = Change<String>.keep
  package var appBuild = Change<String>.keep
  package var osVersion = Change<String>.keep
  package var deviceModel = Change<String>.keep
  package var localization = Change<LocalizationPreference>.keep
  package var capabilities = Change<[String]>.keep
  package var authorization = Change<Authorization>.keep
  package var backgroundRefresh = Change<BackgroundRefresh>.keep
  package var bundleID = Change<String>.keep
  package var frequentPushes = Change<Bool>.keep
  package var liveActivitiesAllowed = Change<Bool>.keep
  package var user = Change<ReportedUser>.keep
  package var tags = Change<[String]>.keep
  /// Tags to add and to remove by name: the other tags stay.
  package var tagChange: TagChange?
  package var attributes = Change<Attributes>.keep
  /// Whether attributes change by name, and the others stay: in a `PATCH`, as RFC 7396 has it.
  package var mergesAttributes = false
  /// The time for which the report holds, by the device's clock.
  package var reportedAt: Timestamp?

  /// A report that says nothing.
  package init() {}

  package init(reading fields: FieldReader) { self.init(reading: fields) { _, _ in } }

  /// Reads a report whose credentials say more than their tokens.
  /// - Parameter credential: Reads the rest of the object of a place.
  package init(reading fields: FieldReader, credential: (CredentialPlace, FieldReader) -> Void) {
    platform = fields.unclearable(fields.word("platform"), "platform")
    environment = fields.unclearable(fields.word("environment"), "environment")
    credentials = CredentialsReport(reading: fields, credential)
    ProfileField.forEach { $0.read(fields, &self) }
    reportedAt = fields.timestamp("reported_at").value
  }
}

extension RegistrationReport {
  /// The attributes after the report; the stored ones when there would be too many.
  func attributes(over stored: Attributes?) -> Attributes? {
    guard mergesAttributes, let change = attributes.value else {
      return attributes.applied(to: stored)
    }
    return change.merged(into: stored) ?? stored
  }

  /// The tags after the report; the stored ones when there would be too many.
  func tags(over stored: [String]) -> [String] {
    let tags = tags.applied(to: stored) ?? []
    if case .changed(let changed)? = tagChange?.newTags(from: tags) { return changed }
    return tags
  }

  /// The parts of the report that are left out, as the installation would have more than it may.
  func excess(over stored: Installation) -> [InputProblem] {
    var excess: [InputProblem] = []
    if case .tooMany(let count)? = tagChange?.newTags(from: tags.applied(to: stored.tags) ?? []) {
      excess.append(
        InputFault.tooMany.problem(
          at: "/tag_changes/add", "There would be \(count) tags, of \(RegistryLimits.tags)."))
    }
    if mergesAttributes, let change = attributes.value,
      change.merged(into: stored.attributes) == nil
    {
      excess.append(
        InputFault.tooMany.problem(
          at: "/attributes",
          "Together with those that are there, more than \(RegistryLimits.attributes) entries or "
            + "\(RegistryLimits.attributesBytes) bytes as JSON."))
    }
    return excess
  }
}

/// The person who is logged in, as the app or the backend says.
package struct ReportedUser: Sendable, Equatable {
  /// The app's own id of the person; `nil` logs out.
  package var id: String?
  /// The proof, when the app's identity verification asks for one.
  package var token: String?

  package init(id: String?, token: String? = nil) {
    self.id = id
    self.token = token
  }

  package init?(reading fields: FieldReader) {
    let id = fields.text("id", maximum: RegistryLimits.userIDBytes, minimum: 1)
    token = fields.text("token", maximum: RegistryLimits.userTokenBytes, isSecondary: true).value
    if case .clear = id {
      self.id = nil
    } else {
      guard let present = fields.required(id, "id") else { return nil }
      self.id = present
    }
  }
}

extension FieldReader {
  /// The token in the field `token`; `nil` after noting what is wrong with it.
  package func requiredToken() -> DeviceToken? {
    // The form <…> with spaces is longer than the hex; a text that is far too long is refused for
    // its length.
    let maximum = RegistryLimits.deviceTokenMaximumBytes * 4
    guard let text = required(text("token", maximum: maximum), "token") else { return nil }
    do {
      return try DeviceToken(parsing: text)
    } catch {
      refuse(error.problem(at: pointer(to: "token")))
      return nil
    }
  }

  /// What the person allowed.
  func authorization(_ name: String) -> Change<Authorization> {
    object(name, isSecondary: true) { fields in
      let status = fields.word("status", of: AuthorizationStatus.self, isSecondary: true).value
      if !fields.has("status") {
        fields.leaveOut(
          .missingField, at: "status", "Send status, too: without it the switches are ignored.")
      }
      let authorization = Authorization(status: status ?? .notDetermined) {
        fields.flag($0.rawValue, isSecondary: true).value
      }
      return status == nil ? nil : authorization
    }
  }
}
