/// One test of the choice: whether an obstacle is there.
public struct ModeTest: Sendable, Hashable, Codable {
  /// The obstacle.
  public var test: ModeReason
  /// Whether it is not there.
  public var passed: Bool
  /// What the test saw.
  public var saw: String
}

/// The mode of one notification, with its reason.
public struct ModeDecision: Sendable, Hashable {
  /// The mode.
  public var mode: Mode
  /// Why.
  public var reason: ModeReason
  /// The tests in their order, the deciding one last; empty unless asked for.
  public var tests: [ModeTest]
}
