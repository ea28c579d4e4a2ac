/// What a notification shows and says: `UNNotificationContent` as a value.
public struct NotificationContent: Sendable, Hashable {
  /// The title; empty if there is none.
  public var title = ""
  /// The second line; empty if there is none.
  public var subtitle = ""
  /// The text proper; empty if there is none.
  public var body = ""
  /// The number on the app's icon: 0 removes it, `nil` leaves it alone.
  public var badge: Int?
  /// What is heard; nothing if `nil`.
  public var sound: RemotePayload.Sound?
  /// The identifier of a category that the app registered; empty if there is none.
  public var category = ""
  /// Notifications with the same one are grouped; empty if there is none.
  public var threadID = ""
  /// How insistently it is presented; `active` if `nil`.
  public var interruptionLevel: RemotePayload.InterruptionLevel?
  /// 0 to 1, the place in the summary of the system; `nil` leaves it to the system.
  public var relevanceScore: Double?
  /// The window to bring to the front.
  public var targetContentID: String?
  /// Compared with the filter of the current Focus, from iOS 16.
  public var filterCriteria: String?
  /// The name of a launch image or storyboard; empty if there is none.
  public var launchImage = ""
  /// What the app reads when the person answers.
  public var userInfo: [String: PayloadValue] = [:]
  /// Pictures, sounds and films; a system shows the first.
  public var attachments: [NotificationAttachment] = []

  /// A content of texts.
  public init(title: String = "", subtitle: String = "", body: String = "") {
    self.title = title
    self.subtitle = subtitle
    self.body = body
  }

  /// The content of a payload, as a device would show it (docs/apple.md 1.4 and 4.2).
  ///
  /// `userInfo` has all members beside `aps`, so that ``RemotePayload/init(userInfo:)`` finds them
  /// again. A level `critical` makes the sound a critical one.
  ///
  /// - Parameters:
  ///   - payload: the payload of an alert.
  ///   - strings: the strings of the app.
  ///   - attachmentsKey: the member with attachments.
  public init(
    _ payload: RemotePayload, strings: NotificationStrings = NotificationStrings(),
    attachmentsKey: String = NotificationAttachment.defaultKey
  ) {
    let aps = payload.aps ?? RemotePayload.APS()
    let texts = strings.texts(of: aps.alert ?? RemotePayload.Alert())
    self.init(title: texts.title, subtitle: texts.subtitle, body: texts.body)
    badge = aps.badge.flatMap { $0 < 0 ? nil : $0 }
    sound = Self.sound(aps)
    category = aps.category ?? ""
    threadID = aps.threadID ?? ""
    interruptionLevel = aps.interruptionLevel
    relevanceScore = aps.relevanceScore.map { min(max($0, 0), 1) }
    targetContentID = aps.targetContentID.flatMap { $0.isEmpty ? nil : $0 }
    filterCriteria = aps.filterCriteria.flatMap { $0.isEmpty ? nil : $0 }
    launchImage = aps.alert?.launchImage ?? ""
    userInfo = payload.data
    if let value = payload.data[attachmentsKey] {
      attachments = NotificationAttachment.attachments(in: value)
    }
  }

  /// Whether it shows, sounds or counts: a system shows nothing of any other.
  public var isVisible: Bool {
    !title.isEmpty || !subtitle.isEmpty || !body.isEmpty || badge != nil || sound != nil
  }

  /// The sound of an `aps` as a device hears it.
  private static func sound(_ aps: RemotePayload.APS) -> RemotePayload.Sound? {
    let isCriticalLevel = aps.interruptionLevel == .critical
    switch aps.sound {
    case nil: return nil
    case .named(let name)?:
      guard !name.isEmpty else { return nil }
      return isCriticalLevel ? .critical(.init(name: name)) : .named(name)
    case .critical(var sound)?:
      let name = sound.name.flatMap { $0.isEmpty ? nil : $0 } ?? "default"
      guard isCriticalLevel || sound.isCritical else { return .named(name) }
      sound = .init(name: name, volume: sound.volume.map { min(max($0, 0), 1) })
      return .critical(sound)
    }
  }
}
