import PostilionClient
import UIKit

/// Registers the device, and brings what a notification names to the scene that shows it.
@main
final class AppDelegate: PostilionAppDelegate {
  override var configuration: PostilionConfiguration {
    PostilionConfiguration(
      server: "https://push.example.com", app: "food", clientKey: "pst_client_…")
  }

  /// The system also tells this of a tap that has launched the app, after the scene is there.
  override func opened(_ payload: RemotePayload, action: NotificationAction) async {
    guard action.kind == .open, let order = payload.data["order"]?.string else { return }
    Navigator.shared.show(order)
  }
}
