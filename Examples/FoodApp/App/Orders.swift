/// The orders of the person.
actor Orders {
  static let shared = Orders()

  private var ready: Set<String> = []
  private(set) var shown: String?

  /// Notes that an order is ready.
  ///
  /// - Returns: whether that is new.
  func markReady(_ order: String) -> Bool {
    ready.insert(order).inserted
  }

  /// Brings an order to the screen.
  func show(_ order: String) {
    shown = order
  }
}
