/// What became of a payload that was given to a ``MessageRouter``.
public struct RoutingOutcome: Sendable, Hashable {
  /// Its message type; `nil` if it has none.
  public var messageType: String?
  /// Whether anybody handled it. If nobody did, the router keeps it for those who register later.
  public var isHandled: Bool
  /// What to tell the system; `noData` if nobody handled it.
  public var result: FetchResult
  /// Whether somebody was still at work when the time ended. That counts as `failed`.
  public var isLate: Bool

  /// An outcome.
  public init(messageType: String?, isHandled: Bool, result: FetchResult, isLate: Bool = false) {
    self.messageType = messageType
    self.isHandled = isHandled
    self.result = result
    self.isLate = isLate
  }
}
