internal import EventLoop
internal import Synchronization

/// The bytes of request bodies that are in memory while their requests are answered, of all servers
/// together: they have a bound, and so has what an attacker can make us hold.
///
/// What they leave behind, the allocator keeps. So when nearly all of a large load is gone, it is
/// told to give that back to the system.
public final class BodyMemory: Sendable {
  private let limit: Int
  private let held = Atomic<Int>(0)
  /// The most that was held since memory was given back to the system.
  private let peak = Atomic<Int>(0)
  private let trim: @Sendable () -> Void

  /// An empty memory.
  public convenience init() {
    self.init(limit: Limits.bodyBytes) { SystemMemory.trimApart() }
  }

  /// - Parameter trim: Gives what was freed back to the system, without holding up the caller.
  init(limit: Int, trim: @escaping @Sendable () -> Void) {
    self.limit = limit
    self.trim = trim
  }

  /// Bytes that are held now.
  public var bytes: Int { held.load(ordering: .relaxed) }

  /// Takes room for so many bytes more.
  /// - Returns: Whether there is room.
  func take(_ count: Int) -> Bool {
    let sum = held.add(count, ordering: .relaxed).newValue
    guard sum <= limit else {
      held.subtract(count, ordering: .relaxed)
      return false
    }
    if sum > peak.load(ordering: .relaxed) { peak.max(sum, ordering: .relaxed) }
    return true
  }

  /// Gives room back.
  func give(_ count: Int) {
    let rest = held.subtract(count, ordering: .relaxed).newValue
    let peak = peak.load(ordering: .relaxed)
    guard peak >= Limits.trimmedBodyBytes, rest < peak / 4 else { return }
    // Of several that see it, one does it.
    guard self.peak.compareExchange(expected: peak, desired: rest, ordering: .relaxed).exchanged
    else { return }
    trim()
  }
}
