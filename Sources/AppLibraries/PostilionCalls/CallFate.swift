/// What is to become of a call once it is reported.
public enum CallFate: Sendable, Hashable, CaseIterable {
  /// It rings.
  case ring
  /// It is ended at once: it began too long ago.
  case endStale
  /// It is ended at once: it was withdrawn, or the payload withdraws it.
  case endWithdrawn
  /// It is ended at once: the payload says nothing of a call.
  case endUnreadable

  /// Whether it is ended at once.
  public var ends: Bool { self != .ring }
}
