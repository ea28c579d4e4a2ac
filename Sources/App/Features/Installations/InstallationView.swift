import DeviceProfile
import JSON
import Postgres
import Registry
import Rendering

/// The stored state as answers show it; never the secret's hash.
struct InstallationView: Sendable {
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

  /// The answer's body.
  var json: [UInt8] {
    var writer = JSONWriter(capacity: 2048)
    write(to: &writer)
    return writer.bytes
  }

  private func write(to writer: inout JSONWriter) {
    let stored = installation
    writer.object { writer in
      writer.member("installation_id", stored.id.text)
      writer.member("platform", stored.platform.rawValue)
      writer.member("environment", stored.environment.rawValue)
      writer.key("credentials")
      write(stored.credentials, to: &writer)
      writer.member("languages", stored.languages)
      writer.member("locale", stored.locale)
      writer.member("time_zone", stored.timeZone)
      writer.member("app_version", stored.appVersion)
      writer.member("app_build", stored.appBuild)
      writer.member("os_version", stored.osVersion)
      writer.member("device_model", stored.deviceModel)
      writer.member("localization", stored.localization.rawValue)
      writer.member("capabilities", stored.capabilities)
      writer.key("authorization")
      writer.raw((stored.authorization?.json ?? "null").utf8)
      writer.member("background_refresh", stored.backgroundRefresh?.rawValue)
      writer.key("user")
      if let userID = stored.userID {
        writer.object { $0.member("id", userID) }
      } else {
        writer.null()
      }
      writer.member("tags", stored.tags)
      writer.key("attributes")
      writer.raw((stored.attributes?.json ?? "null").utf8)
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
    writer.key("applied")
    writer.bool(result.applied)
    writer.key("ignored")
    writer.array(result.ignored) { $1.write(to: &$0) }
    if let secret = result.secret { writer.member("installation_secret", secret) }
  }
}
