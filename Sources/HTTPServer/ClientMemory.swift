internal import EventLoop
internal import Synchronization

/// The bytes that are held for clients, of all servers together: requests that are not complete or
/// not answered yet, and answers that their clients have yet to take. They have a bound, and so has
/// what an attacker can make us hold.
///
/// Of what is free, one customer may have half. So one alone gets a third of all, and however many
/// there are, the next one finds room:
///
///     128 MiB    one that takes all it can    42.7 MiB
///                then a second one            28.4 MiB, and 56.9 are free
///
/// What they leave behind, the allocator keeps. So when nearly all of a large load is gone, it is
/// told to give that back to the system.
public final class ClientMemory: Sendable {
  private let limit: Int
  private let held = Atomic<Int>(0)
  /// Of each customer that has some. An entry belongs to an open connection, so there are no more.
  private let shares = Mutex<[UInt128: Int]>([:])
  /// The most that was held since memory was given back to the system.
  private let peak = Atomic<Int>(0)
  private let trim: @Sendable () -> Void

  /// An empty memory.
  public convenience init() {
    self.init(limit: Limits.clientBytes) { SystemMemory.trimApart() }
  }

  /// - Parameter trim: Gives what was freed back to the system, without holding up the caller.
  init(limit: Int, trim: @escaping @Sendable () -> Void = {}) {
    self.limit = limit
    self.trim = trim
  }

  /// Bytes that are held now.
  public var bytes: Int { held.load(ordering: .relaxed) }

  /// Takes room for so many bytes more.
  /// - Parameter customer: Whose they are; `nil` when only all together are bounded.
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

  /// Gives room back.
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
    // Of several that see it, one does it.
    guard self.peak.compareExchange(expected: peak, desired: rest, ordering: .relaxed).exchanged
    else { return }
    trim()
  }
}

/// What one connection has of a ``ClientMemory``, for one purpose.
struct HeldBytes {
  private var count = 0
  private var customer: UInt128?

  /// Has so many bytes from now on.
  /// - Parameter owner: Whose they are; asked when there were none.
  /// - Returns: Whether there is room; if not, it has what it had.
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

  /// Has none any more.
  mutating func release(in memory: ClientMemory) {
    guard count > 0 else { return }
    memory.give(count, for: customer)
    count = 0
  }
}
