internal import ASCII
import DeviceProfile
import JSON
import Postgres
import Registry
import Rendering

/// The stored state as answers show it; never the secret's hash.
struct InstallationView: JSONWritable, Sendable {
  var installation: Installation
  /// Only in answers to a report.
  var result: Result?

  /// The outcome of a report.
  struct Result: Sendable {
    /// `false` when the report was older than the stored one.
    var applied: Bool
    /// The parts of the report that were left out.
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
      writer.object { stored.write(stored.credentials[...], to: &$0) }
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
  /// Writes credentials as members, by kind and names.
  func write(_ credentials: Slice<ByPlace<Credential>>, to writer: inout JSONWriter) {
    write(credentials, below: 0, to: &writer)
  }

  /// - Parameter depth: How many steps of the way to a token the credentials have in common: the
  ///   kind, and then the names.
  private func write(
    _ credentials: Slice<ByPlace<Credential>>, below depth: Int, to writer: inout JSONWriter
  ) {
    var rest = credentials
    while let (place, credential) = rest.first {
      let own = rest.prefix { $0.place.step(depth).isSpelled(like: place.step(depth)) }
      writer.key(place.step(depth))
      writer.object { writer in
        if depth < place.kind.nameCount {
          write(own, below: depth + 1, to: &writer)
        } else {
          credential.writeMembers(as: place.kind, to: &writer)
        }
      }
      rest = rest.dropFirst(own.count)
    }
  }
}

extension CredentialPlace {
  /// A step of the way from `credentials` to the token.
  fileprivate func step(_ depth: Int) -> String { depth == 0 ? kind.rawValue : names[depth - 1] }
}

extension Credential {
  /// Dates and reason are null until there are any.
  fileprivate func writeMembers(as kind: CredentialKind, to writer: inout JSONWriter) {
    if kind.hasOwnEnvironment { writer.member("environment", environment.rawValue) }
    writer.member("token", token.hex)
    writer.member("status", status.rawValue)
    writer.member("registered_at", registeredAt.rfc3339)
    writer.member("invalidated_at", invalidatedAt?.rfc3339)
    writer.member("reason", reason)
    details.write(to: &writer)
  }
}
