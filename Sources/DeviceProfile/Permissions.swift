/// What the person at a device allows, as far as the app told.
public struct Permissions: Sendable, Hashable {
  /// Nothing of it: the person said no.
  public var isDenied = false
  /// Whether texts are shown anywhere; nil when the app did not tell.
  public var alert: Bool?
  /// Whether sounds are played.
  public var sound: Bool?
  /// Whether the badge is set.
  public var badge: Bool?
  /// Whether alerts may break through the mute switch.
  public var criticalAlert: Bool?

  /// Nothing is known.
  public init() {}
}
