#if canImport(UserNotifications) && !os(tvOS)
  import Foundation
  import UserNotifications

  /// The work of a notification service extension: fetch the attachment, and deliver the best
  /// content before the time ends, exactly once.
  ///
  /// ```swift
  /// final class NotificationService: UNNotificationServiceExtension {
  ///   private var delivery: NotificationServiceDelivery?
  ///
  ///   override func didReceive(
  ///     _ request: UNNotificationRequest,
  ///     withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ///   ) {
  ///     delivery = NotificationServiceDelivery(request, contentHandler: contentHandler)
  ///     delivery?.start()
  ///   }
  ///
  ///   override func serviceExtensionTimeWillExpire() {
  ///     delivery?.finish()
  ///   }
  /// }
  /// ```
  ///
  /// **Communication notifications.** The closure `finally` may replace the content, with the
  /// intent that the app makes of the payload:
  ///
  /// ```swift
  /// NotificationServiceDelivery(request, contentHandler: contentHandler) { content, payload in
  ///   let intent = … // an INSendMessageIntent of the payload, with the sender and the
  ///   conversation INInteraction(intent: intent, response: nil).donate(completion: nil)
  ///   return try content.updating(from: intent)
  /// }
  /// ```
  public struct NotificationServiceDelivery: Sendable {
    /// The payload that came.
    public let payload: RemotePayload
    private let download: AttachmentDownload?
    private let delivery: ContentDelivery<HandedOver<UNNotificationContent>>

    /// A delivery that is pending.
    ///
    /// - Parameters:
    ///   - request: the request that came.
    ///   - download: fetches the attachment; `nil` fetches none.
    ///   - contentHandler: the handler of the system; it is called once, from any thread.
    ///   - replace: makes the content to be delivered of the best one; it is called once at most,
    ///     from any thread, when the attachment is there or the time ends, and has to be quick. If
    ///     it throws, the best one is delivered.
    public init(
      _ request: UNNotificationRequest, download: AttachmentDownload? = AttachmentDownload(),
      contentHandler: @escaping (UNNotificationContent) -> Void,
      finally replace:
        @escaping @Sendable (UNNotificationContent, RemotePayload) throws ->
        UNNotificationContent = { content, _ in content }
    ) {
      let payload = RemotePayload(userInfo: request.content.userInfo)
      // Apple: the handler may be called from any thread. Contents are copied and never changed.
      let handler = HandedOver(value: contentHandler)
      self.payload = payload
      self.download = download
      delivery = ContentDelivery(HandedOver(value: request.content)) { content in
        HandedOver(value: try replace(content.value, payload))
      } deliver: { content in
        handler.value(content.value)
      }
    }

    /// Fetches the attachment, then delivers; without an attachment at once.
    public func start() {
      delivery.start(payload, download: download) { content, file in
        // A content is always an object that can be copied.
        guard let copy = content.value.mutableCopy() as? UNMutableNotificationContent else {
          return content
        }
        copy.attachments = [
          try UNNotificationAttachment(identifier: "", url: file, options: nil)
        ]
        return HandedOver(value: copy)
      }
    }

    /// Delivers the best content, unless one was delivered.
    public func finish() { delivery.finish() }
  }
#endif
