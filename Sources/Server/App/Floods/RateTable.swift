/// Token buckets of any number of keys in a piece of memory of fixed size.
///
/// The table keeps only the time when a bucket will be full again (the generic cell rate algorithm
/// of ITU-T I.371). With 2 a second and a burst of 3, a take costs half a second, and the bucket
/// may be in debt for one and a half:
///
/// | at | take | full again at | |
/// |---|---|---|---|
/// | 0 | 1 | 0.5 | allowed |
/// | 0 | 1 | 1.0 | allowed |
/// | 0 | 1 | 1.5 | allowed |
/// | 0 | 1 | 1.5 | refused, again after 0.5 |
/// | 0.5 | 1 | 2.0 | allowed |
///
/// A full bucket need not be remembered, so the table holds only buckets in debt. A key has four
/// places in it; when other keys take them all, the bucket with the least debt is forgotten. So a
/// flood of addresses costs no memory, and does not free the worst addresses.
struct RateTable {
  private struct Bucket {
    var key: UInt64 = 0
    /// In nanoseconds of the monotonic clock.
    var fullAt: UInt64 = 0
  }

  /// The number of places for a key.
  private static let ways = 4

  let limit: RateLimit
  /// What one take costs, in nanoseconds.
  private let cost: UInt64
  private var buckets: [Bucket]

  /// - Parameter places: The number of places for all keys together, a power of two.
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
  ///   - count: The number of takes at once. A larger number than the bucket can hold counts as all
  ///     that it can hold.
  ///   - kept: The part of the burst that must stay in the bucket.
  /// - Returns: `nil` when the take may happen, else the nanoseconds until it may.
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

  /// What is left in the bucket of a key, and the nanoseconds until it is full.
  func rest(of key: UInt64, at now: UInt64) -> (count: Int, nanoseconds: UInt64) {
    let place = place(of: key)
    let fullAt = buckets[place].key == key ? max(buckets[place].fullAt, now) : now
    let spent = (fullAt - now + cost - 1) / cost
    return (max(limit.burst - Int(spent), 0), fullAt - now)
  }

  /// Takes from the bucket of a key for a use that has already happened. If the bucket is empty, it
  /// goes into debt, of one more burst at most.
  mutating func charge(_ key: UInt64, at now: UInt64, count: Int) {
    let place = place(of: key)
    let isKnown = buckets[place].key == key
    let burst = UInt64(limit.burst) * cost
    let fullAt = max(isKnown ? buckets[place].fullAt : 0, now)
    let taken = min(UInt64(count), UInt64(limit.burst)) * cost
    buckets[place] = Bucket(key: key, fullAt: min(fullAt + taken, now + 2 * burst))
  }

  /// The place where the bucket of a key is, or would be.
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

/// How often something may happen. Example: the setting `20/1000` allows 20 times a second for
/// ever, and 1000 times at once after a rest.
package struct RateLimit: Sendable, Equatable, CustomStringConvertible {
  /// 1 to 1,000,000.
  package let perSecond: Int
  /// 1 to 100,000,000.
  package let burst: Int
}

extension RateLimit {
  /// Takes `perSecond/burst`; `nil` when the text has another form or is out of bounds.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let perSecond = Int(parts[0]), (1...1_000_000).contains(perSecond),
      let burst = Int(parts[1]), (1...100_000_000).contains(burst)
    else { return nil }
    self.init(perSecond: perSecond, burst: burst)
  }

  /// Seconds in which an empty bucket is full again.
  var window: Int { max(burst / perSecond, 1) }

  /// The form that ``init(_:)`` reads.
  package var description: String { "\(perSecond)/\(burst)" }
}
