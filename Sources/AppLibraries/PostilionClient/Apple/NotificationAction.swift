#if canImport(UserNotifications)
  import UserNotifications
#endif

/// What the person did with a notification.
public struct NotificationAction: Sendable, Hashable {
  /// What was done. A later release may know more of it.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// Opened the app with it.
    public static let open = Self(rawValue: "open")
    /// Dismissed it. Only notifications tell this whose category has `customDismissAction`.
    public static let dismiss = Self(rawValue: "dismiss")
    /// Pressed a button.
    public static let button = Self(rawValue: "button")
    /// Answered with a text, by a button.
    public static let reply = Self(rawValue: "reply")

    /// Its word.
    public let rawValue: String

    /// The kind of a word.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// What was done.
  public var kind: Kind
  /// The identifier of the button; `nil` if there was none.
  public var button: String?
  /// The text of an answer.
  public var text: String?

  /// An action.
  public init(_ kind: Kind, button: String? = nil, text: String? = nil) {
    self.kind = kind
    self.button = button
    self.text = text
  }
}

#if canImport(UserNotifications) && !os(tvOS)
  extension NotificationAction {
    /// What a response of the system says.
    public init(_ response: UNNotificationResponse) {
      switch response.actionIdentifier {
      case UNNotificationDefaultActionIdentifier: self.init(.open)
      case UNNotificationDismissActionIdentifier: self.init(.dismiss)
      case let button:
        let text = (response as? UNTextInputNotificationResponse)?.userText
        self.init(text == nil ? .button : .reply, button: button, text: text)
      }
    }
  }

  extension RemotePayload {
    /// The payload of a notification, remote or local.
    public init(_ notification: UNNotification) {
      self.init(userInfo: notification.request.content.userInfo)
    }

    /// The payload of the notification that the person answered; ``NotificationAction`` says how.
    public init(_ response: UNNotificationResponse) { self.init(response.notification) }
  }
#endif
