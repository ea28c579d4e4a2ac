internal import EventLoop
internal import Synchronization

/// The bytes that all servers together hold for clients: requests that are not complete or not
/// answered yet, and answers that clients have yet to take. They have a bound, so an attacker
/// cannot make us hold more.
///
/// One customer may have half of the free bytes. So a single customer gets a third of all bytes,
/// and however many customers there are, the next one finds room:
///
///     128 MiB    one that takes all it can    42.7 MiB
///                then a second one            28.4 MiB, and 56.9 are free
///
/// The allocator keeps the memory that customers leave behind. So when nearly all of a large load
/// is gone, the allocator is told to give that memory back to the system.
public final class ClientMemory: Sendable {
  private let limit: Int
  private let held = Atomic<Int>(0)
  /// The bytes of each customer that has some. An entry belongs to an open connection, so there are
  /// no more entries than open connections.
  private let shares = Mutex<[UInt128: Int]>([:])
  /// The most that was held since memory was given back to the system.
  private let peak = Atomic<Int>(0)
  private let trim: @Sendable () -> Void

  public convenience init() {
    self.init(limit: Limits.clientBytes) { SystemMemory.trimApart() }
  }

  /// - Parameter trim: Gives freed memory back to the system, without holding up the caller.
  init(limit: Int, trim: @escaping @Sendable () -> Void = {}) {
    self.limit = limit
    self.trim = trim
  }

  public var bytes: Int { held.load(ordering: .relaxed) }

  /// Takes room for so many bytes more.
  /// - Parameter customer: The customer for whom the bytes are; `nil` when only the bytes of all
  ///   customers together are bounded.
  /// - Returns: Whether there is room.
  func take(_ count: Int, for customer: UInt128?) -> Bool {
    let sum = held.add(count, ordering: .relaxed).newValue
    guard sum <= limit, customer.map({ share($0, takes: count, sum) }) ?? true else {
      held.subtract(count, ordering: .relaxed)
      return false
    }
    if sum > peak.load(ordering: .relaxed) { peak.max(sum, ordering: .relaxed) }
    return true
  }

  private func share(_ customer: UInt128, takes count: Int, _ sum: Int) -> Bool {
    shares.withLock { shares in
      let share = shares[customer, default: 0] + count
      guard share <= (limit - sum) / 2 else { return false }
      shares[customer] = share
      return true
    }
  }

  func give(_ count: Int, for customer: UInt128?) {
    if let customer {
      shares.withLock { shares in
        let share = shares[customer, default: 0] - count
        shares[customer] = share > 0 ? share : nil
      }
    }
    let rest = held.subtract(count, ordering: .relaxed).newValue
    let peak = peak.load(ordering: .relaxed)
    guard peak >= Limits.trimmedClientBytes, rest < peak / 4 else { return }
    // If several threads see this, one of them gives the memory back.
    guard self.peak.compareExchange(expected: peak, desired: rest, ordering: .relaxed).exchanged
    else { return }
    trim()
  }
}

/// The bytes of a ``ClientMemory`` that one connection has, for one purpose.
struct HeldBytes {
  private var count = 0
  private var customer: UInt128?

  /// Changes how many bytes the connection has.
  /// - Parameter owner: The customer for whom the bytes are; asked when there were no bytes before.
  /// - Returns: Whether there is room; if not, the number stays as it was.
  mutating func set(
    _ bytes: Int, in memory: ClientMemory, for owner: @autoclosure () -> UInt128?
  ) -> Bool {
    if bytes > count {
      if count == 0 { customer = owner() }
      guard memory.take(bytes - count, for: customer) else { return false }
    } else if bytes < count {
      memory.give(count - bytes, for: customer)
    }
    count = bytes
    return true
  }

  /// Gives all bytes back.
  mutating func release(in memory: ClientMemory) {
    guard count > 0 else { return }
    memory.give(count, for: customer)
    count = 0
  }
}
