import Foundation

/// What a payload wants done with the notifications of the app.
public enum NotificationChange: Sendable, Hashable {
  /// Show a notification, in place of an earlier one with its identifier.
  case show(LocalNotification)
  /// Remove the notification with this identifier, whether it waits or was delivered.
  case withdraw(String)

  /// What a silent notification asks for with the object under the app's local notification key:
  /// `{"aps": {"content-available": 1}, "payload": {"aps": {…}, "id": 1}}`.
  ///
  /// - Parameters:
  ///   - silent: the payload of the silent notification.
  ///   - key: the app's `local_notification_key`.
  ///   - identifier: the name of a notification without an `id`.
  ///   - strings: the strings of the app.
  /// - Returns: `nil` if it carries no such object, or the object asks for nothing.
  public init?(
    carriedBy silent: RemotePayload, key: String = "payload",
    identifier: @autoclosure () -> String = UUID().uuidString,
    strings: NotificationStrings = NotificationStrings()
  ) {
    guard let local = silent.local(key: key) else { return nil }
    self.init(local, identifier: identifier(), strings: strings)
  }

  /// What a payload asks for that is itself the object: that of PushKit, `{"aps": {…}, "id": 1}`,
  /// or one that another service has brought to the app.
  ///
  /// The payload of an ordinary alert is not for this: the system has shown it already. If a
  /// payload withdraws one notification, it shows no other.
  ///
  /// - Parameters:
  ///   - payload: the payload.
  ///   - identifier: the name of a notification without an `id`.
  ///   - strings: the strings of the app.
  /// - Returns: `nil` if it neither withdraws anything nor has anything to show, to sound or to
  ///   count.
  public init?(
    _ payload: RemotePayload, identifier: @autoclosure () -> String = UUID().uuidString,
    strings: NotificationStrings = NotificationStrings()
  ) {
    if let withdrawn = payload.withdraws {
      self = .withdraw(withdrawn)
      return
    }
    let notification = LocalNotification(payload, identifier: identifier(), strings: strings)
    guard notification.content.isVisible else { return nil }
    self = .show(notification)
  }
}
