#if canImport(AppKit) && !canImport(UIKit)
  import AppKit
  import Foundation
  import UserNotifications

  /// The app delegate of a Mac app that registers the device, keeps the registration true, and
  /// brings payloads to those who handle them: `PostilionAppDelegate` for AppKit.
  ///
  /// An app of SwiftUI adapts a subclass with `@NSApplicationDelegateAdaptor`.
  @MainActor
  open class PostilionMacAppDelegate: NSObject, NSApplicationDelegate {
    /// Which server, and how: override it.
    open var configuration: PostilionConfiguration {
      preconditionFailure("the subclass of PostilionMacAppDelegate has to override configuration")
    }

    /// The registration that the calls of the system go to, the same one each time: override it for
    /// one that you have made with stores or a transport of your own.
    open var postilion: Postilion { .shared }

    /// The member of a payload with its message type: the app's `message_type_key`.
    open var messageTypeKey: String { "messageType" }

    /// The member of a silent payload that carries a local notification: the app's
    /// `local_notification_key`.
    open var localNotificationKey: String { "payload" }

    /// Shows local notifications; one of the module `PostilionLocation` can wait for places, too.
    open var notificationPresenter: NotificationPresenter { NotificationPresenter() }

    /// Brings payloads to those who handle them.
    public private(set) lazy var router = MessageRouter(messageTypeKey: messageTypeKey)

    private lazy var localNotifications = LocalNotificationHandler(
      key: localNotificationKey, presenter: notificationPresenter)
    /// The delegate of the notification centre, unless the app has set another one before
    /// `super.applicationDidFinishLaunching(_:)`. That one passes the calls on here.
    public private(set) lazy var responder = NotificationResponder(router: router)

    /// A delegate; the system makes it.
    public override init() { super.init() }

    /// Registers the app's processors, before any payload arrives; nothing unless overridden.
    open func prepare(_ router: MessageRouter) {}

    /// What the system presents of a notification that arrives while the app is in front: banner,
    /// list, sound and badge, unless overridden.
    open func presentation(of payload: RemotePayload) -> UNNotificationPresentationOptions {
      [.banner, .list, .sound, .badge]
    }

    /// The person answered a notification, remote or local; nothing is done unless overridden.
    open func opened(_ payload: RemotePayload, action: NotificationAction) async {}

    /// The person wants to see the app's own settings for notifications; nothing is done unless
    /// overridden.
    open func settingsWanted(for payload: RemotePayload?) {}

    /// A payload arrived: it goes to the router, unless overridden.
    open func received(_ payload: RemotePayload) async { await router.route(payload) }

    // MARK: NSApplicationDelegate

    /// The app was launched.
    open func applicationDidFinishLaunching(_ notification: Notification) {
      let configuration = configuration
      prepare(router)
      if configuration.capabilities.contains("local-notification") {
        router.add(localNotifications)
      }
      responder.presentation = { [weak self] in self?.presentation(of: $0) ?? [] }
      responder.opened = { [weak self] in await self?.opened($0, action: $1) }
      responder.settingsWanted = { [weak self] in self?.settingsWanted(for: $0) }
      responder.respond()
      postilion.start(configuration, in: NSApplication.shared)
    }

    /// The system gave a device token.
    open func application(
      _ application: NSApplication,
      didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
      postilion.register(token: deviceToken, for: .apns)
    }

    /// The system gave no token.
    open func application(
      _ application: NSApplication,
      didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
      postilion.registrationFailed(error)
    }

    /// A payload arrived.
    open func application(
      _ application: NSApplication, didReceiveRemoteNotification userInfo: [String: Any]
    ) {
      let payload = RemotePayload(userInfo: userInfo)
      Task { await received(payload) }
    }
  }
#endif
