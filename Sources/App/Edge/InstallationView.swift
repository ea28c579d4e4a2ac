import DeviceProfile
import JSON
import Postgres
import Registry
import Rendering

/// The stored state as answers show it; never the secret's hash.
struct InstallationView: JSONWritable, Sendable {
  /// What is shown.
  var installation: Installation
  /// Only in answers to a report.
  var result: Result?

  /// What became of a report.
  struct Result: Sendable {
    /// `false` when it was older than the stored one.
    var applied: Bool
    /// What was left out of it.
    var ignored: [InputProblem]
    /// The secret, shown once.
    var secret: String?
  }

  func write(to writer: inout JSONWriter) {
    let stored = installation
    writer.object { writer in
      writer.member("installation_id", stored.id.text)
      writer.member("platform", stored.platform.rawValue)
      writer.member("environment", stored.environment.rawValue)
      writer.key("credentials")
      write(stored.credentials, to: &writer)
      ProfileField.write(stored, to: &writer)
      writer.member("language_override", stored.languageOverride)
      writer.member("reported_at", stored.reportedAt?.rfc3339)
      writer.member("created_at", stored.createdAt.rfc3339)
      writer.member("updated_at", stored.updatedAt.rfc3339)
      writer.member("last_seen_at", stored.lastSeenAt.rfc3339)
      if let result { write(result, to: &writer) }
    }
  }

  /// The credentials that exist, by kind; dates and reason are null until there are any.
  private func write(_ credentials: PerKind<Credential>, to writer: inout JSONWriter) {
    writer.object { writer in
      for kind in CredentialKind.allCases {
        guard let credential = credentials[kind] else { continue }
        writer.key(kind.rawValue)
        writer.object { writer in
          writer.member("token", credential.token.hex)
          writer.member("status", credential.status.rawValue)
          writer.member("registered_at", credential.registeredAt.rfc3339)
          writer.member("invalidated_at", credential.invalidatedAt?.rfc3339)
          writer.member("reason", credential.reason)
        }
      }
    }
  }

  private func write(_ result: Result, to writer: inout JSONWriter) {
    writer.member("applied", result.applied)
    writer.member("ignored", result.ignored)
    if let secret = result.secret { writer.member("installation_secret", secret) }
  }
}
