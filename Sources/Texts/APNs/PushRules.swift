public import DeviceProfile

/// What is known of a ``PushType``.
public struct PushRules: Sendable {
  /// The text behind the bundle id in `apns-topic`; `mdm` has a topic of its own kind.
  public var topicSuffix: String
  /// The priorities that APNs takes, best first: the first is the default.
  public var priorities = [10, 5, 1]
  /// How long a notification is worth delivering unless its sender says otherwise, seconds. 0 is
  /// one attempt, for a push about the present moment. Nil leaves it to APNs, for all others.
  public var defaultTTLSeconds: Int64?
  /// The most bytes that a payload may have.
  public var maximumPayloadBytes = 4096
  /// How a message asks for it; nil for notifications, and for `mdm`, which no message asks for.
  public var message: SystemPushRules?
}

/// How a message asks for a push that the system or an extension of the app takes, and who gets it.
public struct SystemPushRules: Hashable, Sendable {
  /// The member of a message that asks for it, such as `push_to_talk`.
  public let member: String
  public let contents: Contents
  /// The kind of token that it goes to.
  public let credential: CredentialKind
  /// The kind of token that a start goes to instead.
  public let startCredential: CredentialKind
  /// The priorities that a message may ask for, the default first; nil stands for those of APNs.
  public let priorities: [Int]?
  /// The systems that take it.
  public let systems: FirstVersions

  /// The contents of a message's member, which decide what the payload does.
  public enum Contents: Hashable, Sendable {
    /// Nothing: something is to be made anew (`content-changed`).
    case reload
    /// The same for a control, or all controls, of a handler.
    case control
    /// The app's own members, which stand beside `aps`; one of them may be required.
    case data(requires: String? = nil)
    /// An event of a Live Activity.
    case activity
    /// An event of what a remote session plays.
    case session
  }

  init(
    _ member: String, _ contents: Contents, to credential: CredentialKind,
    start: CredentialKind? = nil, priorities: [Int]? = nil, from systems: FirstVersions
  ) {
    self.member = member
    self.contents = contents
    self.credential = credential
    startCredential = start ?? credential
    self.priorities = priorities
    self.systems = systems
  }
}
