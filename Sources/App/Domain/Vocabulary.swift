/// The APNs environment a token belongs to (the `aps-environment` entitlement).
enum Environment: String, Sendable, CaseIterable, Codable {
  case production, sandbox
}

/// The system an app runs on.
enum Platform: String, Sendable, CaseIterable, Codable {
  case ios, ipados, macos, tvos, watchos, visionos
}

/// Where an installation wants its text localized.
enum LocalizationPreference: String, Sendable, CaseIterable, Codable {
  /// The renderer chooses.
  case auto
  /// On the device, with `loc-key` and `loc-args`.
  case client
  /// On the server.
  case server
}
