import HTTP
import Postgres

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
    var writer = JSONTextWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// A page of the list, out of rows that were asked for with one more than the limit.
  static func page(_ rows: [Installation], limit: Int) -> [UInt8] {
    let shown = rows.prefix(limit)
    var writer = JSONTextWriter()
    writer.object { writer in
      writer.name("items")
      writer.array(shown) { Self(installation: $1).write(to: &$0) }
      let last = rows.count > limit ? shown.last : nil
      writer.field(
        "next_cursor",
        last.map { Cursor(key: TimeCursor(time: $0.createdAt, id: $0.id.uuid)).text })
    }
    return writer.bytes
  }

  /// Writes the object, alone or as an item of a list.
  func write(to writer: inout JSONTextWriter) {
    let stored = installation
    writer.object { writer in
      writer.field("installation_id", stored.id.text)
      writer.field("platform", stored.platform.rawValue)
      writer.field("environment", stored.environment.rawValue)
      writer.name("credentials")
      write(stored.credentials, to: &writer)
      writer.field("languages", stored.languages)
      writer.field("locale", stored.locale)
      writer.field("time_zone", stored.timeZone)
      writer.field("app_version", stored.appVersion)
      writer.field("app_build", stored.appBuild)
      writer.field("os_version", stored.osVersion)
      writer.field("device_model", stored.deviceModel)
      writer.field("localization", stored.localization.rawValue)
      writer.field("capabilities", stored.capabilities)
      writer.name("authorization")
      writer.literal(stored.authorization?.json ?? "null")
      writer.name("user")
      if let userID = stored.userID {
        writer.object { $0.field("id", userID) }
      } else {
        writer.literal("null")
      }
      writer.field("tags", stored.tags)
      writer.name("attributes")
      writer.literal(stored.attributes?.json ?? "null")
      writer.field("language_override", stored.languageOverride)
      writer.field("reported_at", stored.reportedAt?.rfc3339)
      writer.field("created_at", stored.createdAt.rfc3339)
      writer.field("updated_at", stored.updatedAt.rfc3339)
      writer.field("last_seen_at", stored.lastSeenAt.rfc3339)
      if let result { write(result, to: &writer) }
    }
  }

  /// The credentials that exist, by kind; dates and reason are null until there are any.
  private func write(_ credentials: PerKind<Credential>, to writer: inout JSONTextWriter) {
    writer.object { writer in
      for kind in CredentialKind.allCases {
        guard let credential = credentials[kind] else { continue }
        writer.name(kind.rawValue)
        writer.object { writer in
          writer.field("token", credential.token.hex)
          writer.field("status", credential.status.rawValue)
          writer.field("registered_at", credential.registeredAt.rfc3339)
          writer.field("invalidated_at", credential.invalidatedAt?.rfc3339)
          writer.field("reason", credential.reason)
        }
      }
    }
  }

  private func write(_ result: Result, to writer: inout JSONTextWriter) {
    writer.name("applied")
    writer.literal(result.applied ? "true" : "false")
    writer.name("ignored")
    writer.array(result.ignored) { writer, problem in
      writer.object { writer in
        writer.field("pointer", problem.pointer)
        writer.field("code", problem.code)
        writer.field("detail", problem.detail)
      }
    }
    if let secret = result.secret { writer.field("installation_secret", secret) }
  }
}
