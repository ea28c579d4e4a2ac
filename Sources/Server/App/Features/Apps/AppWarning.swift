import JSON
internal import Telemetry

/// A danger in the settings of an app. The raw value is the code of the warning.
enum AppWarning: String, JSONWritable, Sendable {
  /// Anyone may name any user.
  case identityVerificationOff = "identity_verification_off"

  /// One sentence for the people who run the app.
  var detail: String {
    switch self {
    case .identityVerificationOff:
      "Anyone who finds the client key in the app can register a device for any user, and get that "
        + "user's notifications. Set identity_verification to required."
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("code", rawValue)
      writer.member("detail", detail)
    }
  }
}

extension AppRecord {
  var warnings: [AppWarning] { takesUnprovenUsers ? [.identityVerificationOff] : [] }
}

extension Observation {
  /// The settings of some apps let a client key name any user.
  func unprovenUsers(of apps: [AppRecord]) {
    let slugs = apps.filter(\.takesUnprovenUsers).map(\.slug.text).sorted()
    guard !slugs.isEmpty else { return }
    logger.log(
      .warning, "identity_verification_off",
      [
        "apps": .string(slugs.prefix(Limits.loggedApps).joined(separator: " ")),
        "count": .integer(slugs.count),
      ])
  }
}
