import PostilionClient

/// The orders of the person.
actor Orders {
  static let shared = Orders()

  private var ready: Set<String> = []
  private(set) var path = OrderPath()

  /// Notes that an order is ready.
  ///
  /// - Returns: whether that is new.
  func markReady(_ order: String) -> Bool {
    ready.insert(order).inserted
  }

  /// Brings what a notification names to the screen.
  func open(_ payload: RemotePayload, _ action: NotificationAction) -> Bool {
    path.open(payload, action)
  }
}
