#if canImport(UserNotifications)
  import UserNotifications
#endif

/// What the person did with a notification.
public enum NotificationAction: Sendable, Hashable {
  /// Opened the app with it.
  case open
  /// Dismissed it. Only notifications tell this whose category has `customDismissAction`.
  case dismiss
  /// Pressed the button with this identifier.
  case button(String)
  /// Answered with a text, by the button with this identifier.
  case reply(String, text: String)
}

#if canImport(UserNotifications) && !os(tvOS)
  extension NotificationAction {
    /// What a response of the system says.
    public init(_ response: UNNotificationResponse) {
      switch response.actionIdentifier {
      case UNNotificationDefaultActionIdentifier: self = .open
      case UNNotificationDismissActionIdentifier: self = .dismiss
      case let button:
        let text = (response as? UNTextInputNotificationResponse)?.userText
        self = text.map { .reply(button, text: $0) } ?? .button(button)
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
