#if canImport(UIKit) && !os(watchOS)
  import Foundation
  import UIKit
  import UserNotifications

  /// An app delegate that registers the device, keeps the registration true, and brings payloads to
  /// those who handle them.
  ///
  /// ```swift
  /// final class AppDelegate: PostilionAppDelegate {
  ///   override var configuration: PostilionConfiguration {
  ///     .init(server: server, app: "food", clientKey: "pst_client_…")
  ///   }
  /// }
  /// ```
  ///
  /// An app of SwiftUI adapts it with `@UIApplicationDelegateAdaptor(AppDelegate.self)`, one of
  /// UIKit marks it with `@main`. Nothing of the app is replaced at run time: a subclass that
  /// overrides a method of `UIApplicationDelegate` that is listed here calls `super`. An app with
  /// another delegate calls ``Postilion/start(_:in:)`` instead.
  @MainActor
  open class PostilionAppDelegate: UIResponder, UIApplicationDelegate {
    /// Which server, and how: override it.
    open var configuration: PostilionConfiguration {
      preconditionFailure("the subclass of PostilionAppDelegate has to override configuration")
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

    /// Shows the local notifications of silent ones, if the configuration says that the app does.
    private lazy var localNotifications = LocalNotificationHandler(
      key: localNotificationKey, presenter: notificationPresenter)

    #if !os(tvOS)
      /// The delegate of the notification centre, unless the app has set another one before
      /// `super.application(_:didFinishLaunchingWithOptions:)`. That one passes the calls on here.
      public private(set) lazy var responder = NotificationResponder(router: router)
    #endif

    /// A delegate; the system makes it.
    public override init() { super.init() }

    /// Registers the app's processors, before any payload arrives; nothing unless overridden.
    open func prepare(_ router: MessageRouter) {}

    #if !os(tvOS)
      /// What the system presents of a notification that arrives while the app is in front: banner,
      /// list, sound and badge, unless overridden.
      open func presentation(of payload: RemotePayload) -> UNNotificationPresentationOptions {
        [.banner, .list, .sound, .badge]
      }

      /// The person answered a notification, remote or local; nothing is done unless overridden.
      /// The system lets the app run until it returns, for about 30 seconds.
      open func opened(_ payload: RemotePayload, action: NotificationAction) async {}

      /// The person wants to see the app's own settings for notifications; nothing is done unless
      /// overridden.
      open func settingsWanted(for payload: RemotePayload?) {}
    #endif

    /// A payload arrived that wakes the app: it goes to the router, unless overridden. Override
    /// this one where you would write the `async` form of `didReceiveRemoteNotification`, which
    /// would conflict with the form below.
    open func received(_ payload: RemotePayload) async -> FetchResult {
      await router.route(payload).result
    }

    // MARK: UIApplicationDelegate

    /// The app was launched.
    open func application(
      _ application: UIApplication,
      didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
      let configuration = configuration
      prepare(router)
      if configuration.capabilities.contains("local-notification") {
        router.add(localNotifications)
      }
      #if !os(tvOS)
        respond()
      #endif
      postilion.start(configuration, in: application)
      return true
    }

    /// The system gave a device token.
    open func application(
      _ application: UIApplication,
      didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
      postilion.register(token: deviceToken, for: .apns)
    }

    /// The system gave no token.
    open func application(
      _ application: UIApplication,
      didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
      postilion.registrationFailed(error)
    }

    /// A payload arrived that wakes the app.
    open func application(
      _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
      fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
      let payload = RemotePayload(userInfo: userInfo)
      let state = ApplicationState(application.applicationState)
      Task {
        let result = await ApplicationState.$current.withValue(state) { await received(payload) }
        completionHandler(UIBackgroundFetchResult(result))
      }
    }

    #if !os(tvOS)
      private func respond() {
        responder.presentation = { [weak self] in self?.presentation(of: $0) ?? [] }
        responder.opened = { [weak self] in await self?.opened($0, action: $1) }
        responder.settingsWanted = { [weak self] in self?.settingsWanted(for: $0) }
        responder.respond()
      }
    #endif
  }
#endif
