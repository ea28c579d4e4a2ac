public import ASCII

/// The facts that rendering must know of an app.
public struct AppFacts: Sendable, Hashable {
  /// The bundle id, which is the APNs topic.
  public var bundleID: String
  /// Whether it has other targets, with bundle ids of their own.
  public var hasOtherBundles: Bool
  /// The language its strings were written in, used when nothing matches.
  public var developmentLanguage: String
  /// The payload's member that carries the message's name; nil for none.
  public var messageTypeKey: String?
  /// The payload's member that carries a local notification.
  public var localNotificationKey: String

  /// The app's descriptions of types of its Live Activities, by name.
  public var activityTypes: [Spelling: ActivityType]

  public init(
    bundleID: String, developmentLanguage: String, messageTypeKey: String? = nil,
    localNotificationKey: String = "payload", hasOtherBundles: Bool = false,
    activityTypes: [Spelling: ActivityType] = [:]
  ) {
    self.bundleID = bundleID
    self.hasOtherBundles = hasOtherBundles
    self.developmentLanguage = developmentLanguage
    self.messageTypeKey = messageTypeKey
    self.localNotificationKey = localNotificationKey
    self.activityTypes = activityTypes
  }
}
