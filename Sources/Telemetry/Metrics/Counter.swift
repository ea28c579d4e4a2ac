internal import Synchronization

/// A number that only grows, such as requests answered; one atomic addition.
public final class Counter: Sendable {
  private let total = Atomic<Int>(0)

  init() {}

  /// The total so far.
  public var value: Int { total.load(ordering: .relaxed) }

  /// Adds `count`, which is not negative.
  public func increment(by count: Int = 1) {
    total.wrappingAdd(count, ordering: .relaxed)
  }
}
