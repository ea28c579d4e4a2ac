extension RemotePayload {
  /// How insistently the system presents a notification (docs/apple.md 1.1), from iOS 15.
  public enum InterruptionLevel: String, Sendable, Hashable, CaseIterable {
    /// Into the list, without lighting the screen.
    case passive
    /// As ever; what a device takes when nothing is said.
    case active
    /// Breaks through a Focus; the app needs the capability for it.
    case timeSensitive = "time-sensitive"
    /// Breaks through the mute switch; the app needs the entitlement for critical alerts.
    case critical
  }
}
