import PostilionClient
import UIKit

/// All orders. It asks for the permission when the person sees why.
final class OrdersViewController: UIViewController {
  override func viewDidAppear(_ animated: Bool) {
    super.viewDidAppear(animated)
    Task { await Postilion.shared.requestAuthorization() }
  }
}

/// One order.
final class OrderViewController: UIViewController {
  let order: String

  init(order: String) {
    self.order = order
    super.init(nibName: nil, bundle: nil)
  }

  required init?(coder: NSCoder) { nil }
}
