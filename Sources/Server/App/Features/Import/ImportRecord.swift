import JSON
import Postgres
import Registry

/// One record of an import: an installation's report, and facts that only an import may tell.
///
/// It is a line of the export, or the body of a `PUT` with `installation_id`.
struct ImportRecord: Sendable, Equatable, RequestBody {
  /// Secondary data that cannot be read is left out, and the token is kept. The caller refuses
  /// unknown fields, which are a backend's typos.
  static var policy: FieldPolicy { .lenient }

  var id: InstallationID
  var report: RegistrationReport
  var credentials: [CredentialPlace: Facts] = [:]
  var languageOverride: Change<String>
  var createdAt: Timestamp?
  var updatedAt: Timestamp?
  var lastSeenAt: Timestamp?

  /// The known facts about a token.
  struct Facts: Sendable, Equatable {
    var status: CredentialStatus?
    var registeredAt: Timestamp?
    var invalidatedAt: Timestamp?
    var reason: String?
  }

  /// The time of the record, if it names one. It is not before the registration of a token of the
  /// record, as lists by the last change rely on that (``InstallationFilter/conditions``).
  var time: Timestamp? {
    guard let time = updatedAt ?? lastSeenAt ?? createdAt else { return nil }
    return credentials.values.compactMap(\.registeredAt).reduce(time, max)
  }

  init?(reading fields: FieldReader) {
    var facts: [CredentialPlace: Facts] = [:]
    report = RegistrationReport(reading: fields) { place, fields in
      facts[place] = Facts(
        status: fields.word("status").value,
        registeredAt: fields.timestamp("registered_at").value,
        invalidatedAt: fields.timestamp("invalidated_at").value,
        reason: fields.text("reason", maximum: Limits.reasonBytes, isSecondary: true).value)
    }
    credentials = facts
    languageOverride = fields.text(
      "language_override", maximum: RegistryLimits.languageTagBytes, isSecondary: true
    ).compactMap { text in
      var text = text
      guard let (fault, detail) = languageFault(&text) else { return text }
      fields.leaveOut(fault, at: "language_override", detail)
      return nil
    }
    createdAt = fields.timestamp("created_at").value
    updatedAt = fields.timestamp("updated_at").value
    lastSeenAt = fields.timestamp("last_seen_at").value
    // An answer to a report, kept and sent back, has these too.
    for name in ["applied", "ignored", "installation_secret"] { _ = fields.json(name) }
    guard let id = fields.required(fields.installationID("installation_id"), "installation_id")
    else { return nil }
    self.id = id
  }
}
