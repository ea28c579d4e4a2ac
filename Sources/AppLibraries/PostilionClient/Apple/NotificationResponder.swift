#if canImport(UserNotifications) && !os(tvOS)
  import Foundation
  import UserNotifications

  /// The delegate of the notification centre: what is shown while the app is in front, and what the
  /// person did with a notification.
  ///
  /// `PostilionAppDelegate` has one, and sets it unless the app has set another delegate before.
  /// Such a delegate passes the calls on to it. An app with an app delegate of its own makes one,
  /// keeps it, and sets it before its launch ends; the notification centre holds it weakly.
  ///
  /// ```swift
  /// responder.opened = { payload, action in … }
  /// responder.respond()
  /// ```
  @MainActor
  public final class NotificationResponder: NSObject, UNUserNotificationCenterDelegate {
    private let router: MessageRouter

    /// What the system presents of a notification that arrives while the app is in front; banner,
    /// list, sound and badge unless set.
    public var presentation: @MainActor (RemotePayload) -> UNNotificationPresentationOptions = {
      _ in
      [.banner, .list, .sound, .badge]
    }

    /// What the app does when the person answers a notification, remote or local. Until it returns,
    /// for about 30 seconds, the system lets the app run.
    public var opened: @MainActor (RemotePayload, NotificationAction) async -> Void = { _, _ in }

    /// What the app does when the person wants to see its own settings for notifications: of the
    /// notification with this payload, or of all.
    public var settingsWanted: @MainActor (RemotePayload?) -> Void = { _ in }

    /// A delegate.
    ///
    /// - Parameter router: gets the payload of each remote notification that arrives while the app
    ///   is in front. One that wakes the app, too (`content-available`), comes to the app delegate
    ///   as well: that one routes it.
    public init(router: MessageRouter) {
      self.router = router
    }

    /// Sets this as the delegate of the notification centre, unless there is another one.
    /// - Returns: whether it is the delegate now.
    @discardableResult
    public func respond(for center: UNUserNotificationCenter = .current()) -> Bool {
      if center.delegate == nil { center.delegate = self }
      return center.delegate === self
    }

    // The system does not promise a thread for these, so they begin on none in particular.

    /// A notification arrives while the app is in front.
    public nonisolated func userNotificationCenter(
      _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
      withCompletionHandler completionHandler:
        @escaping (UNNotificationPresentationOptions) -> Void
    ) {
      let payload = RemotePayload(notification)
      let isRemote = notification.request.trigger is UNPushNotificationTrigger
      // Apple: the handler is called once, from any thread. Only this task has it.
      let completion = HandedOver(value: completionHandler)
      Task { @MainActor in
        if isRemote && !payload.wakesApp { route(payload) }
        completion.value(presentation(payload))
      }
    }

    /// The person answered a notification.
    public nonisolated func userNotificationCenter(
      _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
      withCompletionHandler completionHandler: @escaping () -> Void
    ) {
      let payload = RemotePayload(response.notification)
      let action = NotificationAction(response)
      let completion = HandedOver(value: completionHandler)
      Task { @MainActor in
        await opened(payload, action)
        completion.value()
      }
    }

    #if !os(watchOS)
      /// The person wants to see the app's own settings for notifications. The system offers it to
      /// apps that have asked for `providesAppNotificationSettings`.
      public nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?
      ) {
        let payload = notification.map { RemotePayload($0) }
        Task { @MainActor in settingsWanted(payload) }
      }
    #endif

    /// Routes a payload; what is shown does not wait for it.
    private func route(_ payload: RemotePayload) {
      Task { await router.route(payload, in: .active) }
    }
  }
#endif
