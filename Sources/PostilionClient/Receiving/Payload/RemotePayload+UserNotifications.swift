#if canImport(UserNotifications) && !os(tvOS)
  import UserNotifications

  extension RemotePayload {
    /// The payload of the notification that the person answered, remote or local;
    /// ``NotificationAction`` says how.
    public init(_ response: UNNotificationResponse) {
      self.init(userInfo: response.notification.request.content.userInfo)
    }
  }
#endif
