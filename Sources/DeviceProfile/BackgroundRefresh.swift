/// Whether the system wakes the app for silent notifications (`UIBackgroundRefreshStatus`).
public enum BackgroundRefresh: String, Sendable, Hashable, CaseIterable {
  /// It does.
  case available
  /// The person switched it off, for the app or for all.
  case denied
  /// The system does not let the person switch it on, as with parental controls.
  case restricted
}
