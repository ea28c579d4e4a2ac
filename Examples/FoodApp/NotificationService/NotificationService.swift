import PostilionClient
import UserNotifications

/// Puts the picture into a notification that has `mutable-content` and the member `image`.
final class NotificationService: UNNotificationServiceExtension {
  private var delivery: NotificationServiceDelivery?

  override func didReceive(
    _ request: UNNotificationRequest,
    withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {
    delivery = NotificationServiceDelivery(request, contentHandler: contentHandler)
    delivery?.start()
  }

  override func serviceExtensionTimeWillExpire() {
    delivery?.finish()
  }
}
