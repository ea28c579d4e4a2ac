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
