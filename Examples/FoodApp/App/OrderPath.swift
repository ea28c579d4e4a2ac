import PostilionClient

/// The orders whose screens are open, the last in front: the path of a `NavigationStack`.
nonisolated struct OrderPath: Hashable {
  private(set) var orders: [String] = []

  /// Opens what a notification names, after a tap or with the button `view`. An order that is open
  /// already comes to the front.
  ///
  /// - Returns: whether there is something to show.
  mutating func open(_ payload: RemotePayload, _ action: NotificationAction) -> Bool {
    guard action.kind == .open || action.button == "view", let order = payload.data["order"]?.string
    else { return false }
    orders.removeAll { $0 == order }
    orders.append(order)
    return true
  }
}
