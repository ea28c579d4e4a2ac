import EventLoop
import Testing

/// How slow a peer may be.
@Suite struct PaceTests {
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
    var pace = Pace(allowanceNanoseconds: 10_000_000_000, bytesPerSecond: 1000)
    for step in steps {
      switch step {
      case .waited(let seconds): pace.waited(seconds * 1_000_000_000)
      case .moved(let bytes): pace.moved(bytes)
      }
    }
    #expect(pace.left.rounded == left)
    #expect(pace.isExhausted == (pace.left == 0))
  }

  @Test func aPaceWithoutEndHasNone() {
    var pace = Pace(allowanceNanoseconds: .max, bytesPerSecond: 0)
    pace.waited(1 << 60)
    pace.moved(.max)
    #expect(!pace.isExhausted)
  }
}

extension UInt64 {
  /// In whole seconds, up.
  fileprivate var rounded: UInt64 { (self + 999_999_999) / 1_000_000_000 }
}
