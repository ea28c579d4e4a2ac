import EventLoop
import Testing

/// How slow a peer may be.
@Suite struct PeerAllowanceTests {
  enum Step: Sendable {
    case waited(UInt64)
    case moved(Int)
  }

  /// Ten seconds, and a thousand bytes each second; steps are in seconds.
  @Test(
    arguments: [
      ([], 10), ([.waited(9)], 1), ([.waited(10)], 0), ([.waited(11)], 0),
      ([.waited(9), .moved(5000)], 6), ([.waited(9), .moved(5000), .waited(7)], 0),
      // What moves fast is no credit for later.
      ([.moved(1_000_000)], 10), ([.waited(1), .moved(1_000_000)], 10), ([.moved(.max)], 10),
      // A peer that sends a byte every nine seconds.
      ([.waited(9), .moved(1), .waited(9)], 0),
      // One that keeps to the rate exactly is never given up.
      (Array(repeating: [.waited(5), .moved(5000)], count: 1000).flatMap { $0 }, 10),
      ([.moved(-5000)], 10),
    ] as [([Step], UInt64)])
  func waitingUsesUpWhatBytesEarn(steps: [Step], left: UInt64) {
    var allowance = PeerAllowance(allowanceNanoseconds: 10_000_000_000, bytesPerSecond: 1000)
    for step in steps {
      switch step {
      case .waited(let seconds): allowance.waited(seconds * 1_000_000_000)
      case .moved(let bytes): allowance.moved(bytes)
      }
    }
    #expect(allowance.left.rounded == left)
    #expect(allowance.isExhausted == (allowance.left == 0))
  }

  @Test func aPaceWithoutEndHasNone() {
    var allowance = PeerAllowance(allowanceNanoseconds: .max, bytesPerSecond: 0)
    allowance.waited(1 << 60)
    allowance.moved(.max)
    #expect(!allowance.isExhausted)
  }
}

extension UInt64 {
  /// In whole seconds, up.
  fileprivate var rounded: UInt64 { (self + 999_999_999) / 1_000_000_000 }
}
