/// How a notification gets its text.
public enum Mode: String, Sendable, Hashable, CaseIterable, Codable {
  /// The payload carries keys, which the device looks up in its app.
  case client
  /// The payload carries the finished text.
  case server
  /// A silent payload carries a local notification with the finished text, which the app shows.
  case local
  /// A PushKit payload carries the finished text, for the app to tell CallKit.
  case voip
}
