import Foundation
import PostilionClient
import UIKit

/// Registers the device. All that Postilion demands is `configuration`.
final class AppDelegate: PostilionAppDelegate {
  private var calls: Calls?

  override var configuration: PostilionConfiguration {
    PostilionConfiguration(
      server: "https://push.example.com", app: "food", clientKey: "pst_client_…")
  }

  override func prepare(_ router: MessageRouter) {
    router.register(OrderReady.self)
  }

  override func opened(_ payload: RemotePayload, action: NotificationAction) async {
    _ = await Orders.shared.open(payload, action)
  }

  /// Only for calls: PushKit wants its registry at every launch.
  override func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    calls = Calls()
    return super.application(application, didFinishLaunchingWithOptions: launchOptions)
  }
}
