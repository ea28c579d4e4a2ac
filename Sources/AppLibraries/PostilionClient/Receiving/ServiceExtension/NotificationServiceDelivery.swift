#if canImport(UserNotifications) && !os(tvOS)
  import Foundation
  import UserNotifications

  /// The work of a notification service extension: edit the content, fetch the attachments, and
  /// deliver the best content before the time ends, exactly once.
  ///
  /// ```swift
  /// nonisolated final class NotificationService: UNNotificationServiceExtension {
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
  /// **Contents that your backend encrypted.** The closure of `start` changes what is shown, before
  /// the attachments are fetched:
  ///
  /// ```swift
  /// delivery?.start { content in
  ///   let message = try await Mailbox.shared.message(content.userInfo)
  ///   content.title = message.sender
  ///   content.body = message.text
  /// }
  /// ```
  ///
  /// **Communication notifications.** The closure `finally` may replace the content, with the
  /// intent that the app makes of the payload:
  ///
  /// ```swift
  /// NotificationServiceDelivery(request, contentHandler: contentHandler) { content, payload in
  ///   let intent = … // an INSendMessageIntent of the payload, with sender and conversation
  ///   INInteraction(intent: intent, response: nil).donate(completion: nil)
  ///   return try content.updating(from: intent)
  /// }
  /// ```
  public struct NotificationServiceDelivery: Sendable {
    /// The payload that came.
    public let payload: RemotePayload
    private let content: NotificationContent
    private let download: AttachmentDownload?
    private let delivery: ContentDelivery<HandedOver<UNNotificationContent>>

    /// A delivery that is pending.
    ///
    /// - Parameters:
    ///   - request: the request that came.
    ///   - download: fetches the attachments; `nil` fetches none.
    ///   - contentHandler: the handler of the system; it is called once, from any thread.
    ///   - replace: makes the content to be delivered of the best one; it is called once at most,
    ///     from any thread, when the attachments are there or the time ends, and has to be quick.
    ///     If it throws, the best one is delivered.
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
      content = NotificationContent(request.content, payload, download)
      delivery = ContentDelivery(HandedOver(value: request.content)) { content in
        HandedOver(value: try replace(content.value, payload))
      } deliver: { content in
        handler.value(content.value)
      }
    }

    /// Edits the content and fetches the attachments, all within 20 seconds, then delivers; without
    /// anything to do at once.
    ///
    /// - Parameters:
    ///   - edit: changes what the notification says. If it throws or is late, the notification says
    ///     what it said.
    ///   - receipt: tells your backend that the notification has come and is about to be shown; the
    ///     system does not say whether the person sees it. It runs beside the rest, and the
    ///     notification waits for it 5 seconds at most.
    public func start(
      edit: NotificationEdit? = nil,
      receipt: (@Sendable (RemotePayload) async -> Void)? = nil
    ) {
      let payload = payload
      let original = content
      let tell = receipt.map { receipt in { @Sendable in await receipt(payload) } }
      delivery.start(content, download: download, edit: edit, receipt: tell) { content, value in
        // A content is always an object that can be copied.
        guard let copy = content.value.mutableCopy() as? UNMutableNotificationContent else {
          return content
        }
        value.write(to: copy, insteadOf: original)
        return HandedOver(value: copy)
      }
    }

    /// Delivers the best content, unless one was delivered.
    public func finish() { delivery.finish() }
  }

  extension NotificationContent {
    /// What a content of the system says, whose texts the system has localized. Sound and level are
    /// those of the payload, as the system does not tell a sound's name.
    fileprivate init(
      _ content: UNNotificationContent, _ payload: RemotePayload, _ download: AttachmentDownload?
    ) {
      self.init(payload)
      title = content.title
      subtitle = content.subtitle
      body = content.body
      attachments = download?.attachments(in: payload) ?? []
    }

    /// Writes into a content of the system what differs from the original, and the attachments.
    fileprivate func write(
      to content: UNMutableNotificationContent, insteadOf original: NotificationContent
    ) {
      content.title = title
      content.subtitle = subtitle
      content.body = body
      if badge != original.badge { content.badge = badge.map { NSNumber(value: $0) } }
      if sound != original.sound { content.sound = sound?.systemSound }
      if category != original.category { content.categoryIdentifier = category }
      if threadID != original.threadID { content.threadIdentifier = threadID }
      if interruptionLevel != original.interruptionLevel {
        content.interruptionLevel = interruptionLevel?.systemLevel ?? .active
      }
      if let relevanceScore, relevanceScore != original.relevanceScore {
        content.relevanceScore = relevanceScore
      }
      if userInfo != original.userInfo {
        var members = userInfo.compactMapValues(\.propertyList) as [AnyHashable: Any]
        members["aps"] = content.userInfo["aps"]
        content.userInfo = members
      }
      content.attachments = attachments.compactMap { $0.systemAttachment() }
    }
  }
#endif
