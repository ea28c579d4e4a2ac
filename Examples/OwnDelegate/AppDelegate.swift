import Foundation
import PostilionClient
import UIKit
import UserNotifications

/// An app delegate of the app's own, with five lines for Postilion.
@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
  private let router = MessageRouter()
  private lazy var responder = NotificationResponder(router: router)

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    let configuration = PostilionConfiguration(
      server: "https://push.example.com", app: "food", clientKey: "pst_client_…")
    Postilion.shared.start(configuration, in: application)
    responder.respond()
    return true
  }

  func application(
    _ application: UIApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
  ) {
    Postilion.shared.register(token: deviceToken, for: .apns)
  }

  func application(
    _ application: UIApplication,
    didFailToRegisterForRemoteNotificationsWithError error: any Error
  ) {
    Postilion.shared.registrationFailed(error)
  }

  func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
  ) {
    router.route(userInfo, fetchCompletionHandler: completionHandler)
  }
}
