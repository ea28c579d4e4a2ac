/// A notification that the app shows itself: what a `UNNotificationRequest` is made of, as a value.
///
/// An app makes one by hand, or from a payload with ``NotificationChange``.
public struct LocalNotification: Sendable, Hashable {
  /// Its name, not empty: a notification with the name of an earlier one replaces it, whether that
  /// one waits or was delivered.
  public var identifier: String
  /// What is shown.
  public var content: NotificationContent
  /// When it is shown; at once if `nil`.
  public var trigger: NotificationTrigger?

  /// A notification.
  public init(
    identifier: String, content: NotificationContent, trigger: NotificationTrigger? = nil
  ) {
    self.identifier = identifier
    self.content = content
    self.trigger = trigger
  }

  /// The local notification that a payload describes, its texts in the language of the app.
  ///
  /// The payload is that of an alert: the one inside a silent notification
  /// (``RemotePayload/local(key:)``), or that of PushKit.
  ///
  /// - Parameters:
  ///   - payload: the payload.
  ///   - identifier: its name if the payload has no `id`.
  ///   - strings: the strings of the app.
  ///   - attachmentsKey: the member with attachments, which
  ///     ``NotificationAttachment/attachments(in:)`` reads.
  public init(
    _ payload: RemotePayload, identifier: @autoclosure () -> String,
    strings: NotificationStrings = NotificationStrings(),
    attachmentsKey: String = NotificationAttachment.defaultKey
  ) {
    self.init(
      identifier: payload.id ?? identifier(),
      content: NotificationContent(payload, strings: strings, attachmentsKey: attachmentsKey),
      trigger: payload.trigger)
  }
}
