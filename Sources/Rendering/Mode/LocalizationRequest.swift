/// Who shall localize, as the caller of a rendering or a message asks for it.
public enum LocalizationRequest: String, Sendable, Hashable, CaseIterable, Codable {
  /// Whoever can do it without loss.
  case auto
  /// The device, by keys into the strings of its app.
  case client
  /// The server.
  case server
  /// The server, in a local notification that the app makes.
  case local
}
