internal import Synchronization

/// A number that goes up and down, such as open connections; one atomic operation.
public final class Gauge: Sendable {
  private let level = Atomic<Int>(0)

  init() {}

  /// The level now.
  public var value: Int { level.load(ordering: .relaxed) }

  /// Replaces the level.
  public func set(_ value: Int) {
    level.store(value, ordering: .relaxed)
  }

  /// Raises the level, or lowers it when `difference` is negative.
  public func add(_ difference: Int) {
    level.wrappingAdd(difference, ordering: .relaxed)
  }
}
