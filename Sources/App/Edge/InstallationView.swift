internal import ASCII
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
      writer.object { stored.writeCredentials(to: &$0) }
      ProfileField.write(stored, to: &writer)
      writer.member("language_override", stored.languageOverride)
      writer.member("reported_at", stored.reportedAt?.rfc3339)
      writer.member("created_at", stored.createdAt.rfc3339)
      writer.member("updated_at", stored.updatedAt.rfc3339)
      writer.member("last_seen_at", stored.lastSeenAt.rfc3339)
      if let result { write(result, to: &writer) }
    }
  }

  private func write(_ result: Result, to writer: inout JSONWriter) {
    writer.member("applied", result.applied)
    writer.member("ignored", result.ignored)
    if let secret = result.secret { writer.member("installation_secret", secret) }
  }
}

extension Installation {
  /// Writes the credentials that exist as members, by kind and names.
  fileprivate func writeCredentials(to writer: inout JSONWriter) {
    for kind in CredentialKind.withColumns {
      guard let credential = credentials[kind] else { continue }
      writer.key(kind.rawValue)
      writer.object { credential.writeMembers(to: &$0) }
    }
    writeOtherCredentials(to: &writer)
  }

  /// Writes those without columns as members.
  func writeOtherCredentials(to writer: inout JSONWriter) {
    guard !otherCredentials.isEmpty else { return }
    let places = otherCredentials.keys.sorted()
    for kind in CredentialKind.others {
      let own = places.filter { $0.kind == kind }
      guard !own.isEmpty else { continue }
      writer.key(kind.rawValue)
      write(own, at: 0, to: &writer)
    }
  }

  /// Writes a credential, or an object of those that have the same names so far.
  private func write(_ places: [CredentialPlace], at depth: Int, to writer: inout JSONWriter) {
    writer.object { writer in
      guard let first = places.first, depth < first.kind.nameCount else {
        if let place = places.first, let other = otherCredentials[place] {
          writer.member("environment", other.environment.rawValue)
          other.credential.writeMembers(to: &writer)
          other.details.write(to: &writer)
        }
        return
      }
      for (name, own) in Dictionary(grouping: places, by: { Spelling($0.names[depth]) })
        .sorted(by: { $0.key < $1.key })
      {
        writer.key(name.text)
        write(own, at: depth + 1, to: &writer)
      }
    }
  }
}

extension Credential {
  /// Dates and reason are null until there are any.
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("token", token.hex)
    writer.member("status", status.rawValue)
    writer.member("registered_at", registeredAt.rfc3339)
    writer.member("invalidated_at", invalidatedAt?.rfc3339)
    writer.member("reason", reason)
  }
}
