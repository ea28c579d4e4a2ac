import UIKit

/// Makes the window of a scene. `Info.plist` names this class under `UISceneDelegateClassName`.
final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
  var window: UIWindow?

  func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession,
    options connectionOptions: UIScene.ConnectionOptions
  ) {
    guard let scene = scene as? UIWindowScene else { return }
    let navigation = UINavigationController(rootViewController: OrdersViewController())
    let window = UIWindow(windowScene: scene)
    window.rootViewController = navigation
    window.makeKeyAndVisible()
    self.window = window
    Navigator.shared.attach(navigation)
  }
}
