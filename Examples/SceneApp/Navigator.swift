import UIKit

/// Opens what a notification names: at once, or as soon as there is a screen.
@MainActor
final class Navigator {
  static let shared = Navigator()

  private weak var navigation: UINavigationController?
  private var wanted: String?

  /// A scene has a screen now.
  func attach(_ navigation: UINavigationController) {
    self.navigation = navigation
    if let wanted { show(wanted) }
  }

  /// Shows an order. One that is on the screen already stays.
  func show(_ order: String) {
    guard let navigation else {
      wanted = order
      return
    }
    wanted = nil
    if (navigation.topViewController as? OrderViewController)?.order == order { return }
    navigation.pushViewController(OrderViewController(order: order), animated: true)
  }
}
