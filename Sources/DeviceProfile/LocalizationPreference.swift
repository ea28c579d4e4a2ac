/// Where an app wants the texts of its notifications localized.
public enum LocalizationPreference: String, Sendable, Hashable, CaseIterable {
  /// Wherever it can be done without loss.
  case auto
  /// On the device, by keys into the strings of its app.
  case client
  /// On the server.
  case server
}
