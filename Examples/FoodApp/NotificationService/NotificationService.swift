import PostilionClient
import UserNotifications

/// Puts the pictures into a notification that has `mutable-content` and the member `attachments`.
/// The system calls an extension on no thread in particular: hence `nonisolated`, in an app whose
/// code belongs to the main actor.
nonisolated final class NotificationService: UNNotificationServiceExtension {
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
