/// Token buckets of any number of keys in a piece of memory of fixed size.
///
/// Of a bucket only the time is kept when it will be full again (the generic cell rate algorithm of
/// ITU-T I.371). With 2 a second and a burst of 3, a take costs half a second, and the bucket may
/// be in debt for one and a half:
///
/// | at | take | full again at | |
/// |---|---|---|---|
/// | 0 | 1 | 0.5 | allowed |
/// | 0 | 1 | 1.0 | allowed |
/// | 0 | 1 | 1.5 | allowed |
/// | 0 | 1 | 1.5 | refused, again after 0.5 |
/// | 0.5 | 1 | 2.0 | allowed |
///
/// A bucket that is full need not be remembered, so the table holds those in debt alone. A key has
/// four places in it; when they are all taken by others, the one with the least debt is forgotten.
/// So a flood of addresses costs no memory, and does not free the worst of them.
struct RateTable {
  private struct Bucket {
    var key: UInt64 = 0
    /// In nanoseconds of the monotonic clock.
    var fullAt: UInt64 = 0
  }

  /// Places of a key.
  private static let ways = 4

  let limit: RateLimit
  /// What one take costs, in nanoseconds.
  private let cost: UInt64
  private var buckets: [Bucket]

  /// A table.
  /// - Parameter places: Of all keys together, a power of two.
  init(_ limit: RateLimit, places: Int = FloodLimits.places) {
    precondition(places >= Self.ways && places & (places - 1) == 0, "a power of two")
    self.limit = limit
    cost = 1_000_000_000 / UInt64(limit.perSecond)
    buckets = [Bucket](repeating: Bucket(), count: places)
  }

  /// Takes from the bucket of a key.
  /// - Parameters:
  ///   - key: A hash that nobody outside can foresee.
  ///   - now: Nanoseconds of the monotonic clock.
  ///   - count: How many at once; more than there can be in the bucket is all that can.
  ///   - kept: What must stay in the bucket, of its burst.
  /// - Returns: `nil` when it may happen, else after how many nanoseconds it may.
  mutating func take(
    _ key: UInt64, at now: UInt64, count: Int = 1, keeping kept: Int = 0
  ) -> UInt64? {
    let place = place(of: key)
    let isKnown = buckets[place].key == key
    let places = UInt64(max(limit.burst - kept, 1))
    let capacity = places * cost
    let fullAt = max(isKnown ? buckets[place].fullAt : 0, now) + min(UInt64(count), places) * cost
    guard fullAt - now <= capacity else { return fullAt - now - capacity }
    buckets[place] = Bucket(key: key, fullAt: fullAt)
    return nil
  }

  /// Takes from the bucket of a key what was used already. The bucket may be empty: it then is in
  /// debt, of one more burst at most.
  mutating func charge(_ key: UInt64, at now: UInt64, count: Int) {
    let place = place(of: key)
    let isKnown = buckets[place].key == key
    let burst = UInt64(limit.burst) * cost
    let fullAt = max(isKnown ? buckets[place].fullAt : 0, now)
    let taken = min(UInt64(count), UInt64(limit.burst)) * cost
    buckets[place] = Bucket(key: key, fullAt: min(fullAt + taken, now + 2 * burst))
  }

  /// Where the bucket of a key is, or would be.
  private func place(of key: UInt64) -> Int {
    let first = Int(truncatingIfNeeded: key) & (buckets.count - 1) & ~(Self.ways - 1)
    var least = first
    for place in first..<first + Self.ways {
      if buckets[place].key == key { return place }
      if buckets[place].fullAt < buckets[least].fullAt { least = place }
    }
    return least
  }
}

/// How often something may happen: so many times a second for ever, and after a rest so many times
/// at once. As a setting `20/1000`.
package struct RateLimit: Sendable, Equatable, CustomStringConvertible {
  /// 1 to 1,000,000.
  package let perSecond: Int
  /// 1 to 100,000,000.
  package let burst: Int

  /// Takes `perSecond/burst`; `nil` when the text has another form or is out of bounds.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let perSecond = Int(parts[0]), (1...1_000_000).contains(perSecond),
      let burst = Int(parts[1]), (1...100_000_000).contains(burst)
    else { return nil }
    self.init(perSecond: perSecond, burst: burst)
  }

  package init(perSecond: Int, burst: Int) {
    self.perSecond = perSecond
    self.burst = burst
  }

  /// Seconds in which an empty bucket is full again.
  var window: Int { max(burst / perSecond, 1) }

  /// The form that is read.
  package var description: String { "\(perSecond)/\(burst)" }
}
