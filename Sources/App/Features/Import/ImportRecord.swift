import JSON
import Postgres
import Registry

/// One record of an import: an installation's report, and what only an import may say.
///
/// It is a line of the export, or the body of a `PUT` with `installation_id`.
struct ImportRecord: Sendable, Equatable, RequestBody {
  /// What cannot be read in secondary data costs it and not the token; the caller refuses unknown
  /// fields, which are a backend's typos.
  static var policy: FieldPolicy { .lenient }

  var id: InstallationID
  var report: RegistrationReport
  var credentials: [CredentialPlace: Facts] = [:]
  var languageOverride: Change<String>
  var createdAt: Timestamp?
  var updatedAt: Timestamp?
  var lastSeenAt: Timestamp?

  /// What is known about a token besides itself.
  struct Facts: Sendable, Equatable {
    var status: CredentialStatus?
    var registeredAt: Timestamp?
    var invalidatedAt: Timestamp?
    var reason: String?
  }

  /// When the record was true, as far as it says so: not before a token of it was registered, as
  /// lists by the last change rely on (``InstallationFilter/conditions``).
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
