/// How long a peer may keep us waiting: waiting uses up an allowance, and bytes that move earn it
/// back, at the least rate that is wanted, up to what it was.
///
///     10 s, 1000 bytes a second    waited 9 s: 1 s left; moved 5000: 6 s left
///                                  waited 7 s: exhausted
///
/// So a peer that does nothing is given up after the allowance, a peer below the rate a little
/// later, and one that keeps to it never. Time in which we are not waiting does not count.
public struct Pace: Sendable, Hashable {
  private let allowance: UInt64
  private let bytesPerSecond: UInt64
  /// Nanoseconds that may still be waited.
  public private(set) var left: UInt64

  /// A pace with its whole allowance.
  /// - Parameter bytesPerSecond: At least 1.
  public init(allowanceNanoseconds: UInt64, bytesPerSecond: UInt64) {
    allowance = allowanceNanoseconds
    left = allowanceNanoseconds
    self.bytesPerSecond = max(1, bytesPerSecond)
  }

  /// Whether the peer is given up.
  public var isExhausted: Bool { left == 0 }

  /// We waited.
  public mutating func waited(_ nanoseconds: UInt64) {
    left -= min(left, nanoseconds)
  }

  /// Bytes moved.
  public mutating func moved(_ bytes: Int) {
    let (product, overflow) = UInt64(max(0, bytes)).multipliedReportingOverflow(by: 1_000_000_000)
    let earned = overflow ? allowance : product / bytesPerSecond
    left = allowance - left > earned ? left + earned : allowance
  }
}
