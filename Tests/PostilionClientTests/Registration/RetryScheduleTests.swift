import Foundation
import Testing

@testable import PostilionClient

@Suite struct RetryScheduleTests {
  private let now = Date(timeIntervalSince1970: 1_800_000_000)

  @Test func pausesDoubleUpToABound() {
    var schedule = RetrySchedule()
    var pauses: [TimeInterval] = []
    for _ in 0..<12 {
      schedule.failed(at: now, wish: nil, random: 1)
      pauses.append(schedule.pause(at: now) ?? 0)
    }
    #expect(pauses == [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900])
    schedule.succeeded()
    #expect(schedule.pause(at: now) == nil)
  }

  @Test(arguments: [(0.0, nil), (0.25, 0.5), (1, 2)] as [(Double, TimeInterval?)])
  func jitterIsFull(_ random: Double, _ pause: TimeInterval?) {
    var schedule = RetrySchedule()
    schedule.failed(at: now, wish: nil, random: random)
    #expect(schedule.pause(at: now) == pause)
  }

  @Test func theServersWishIsKept() {
    var schedule = RetrySchedule()
    schedule.failed(at: now, wish: 120, random: 0.5)
    #expect(schedule.pause(at: now) == 121)
    // The jitter behind it ends when the app comes to the front, the wish does not.
    schedule.wake()
    #expect(schedule.pause(at: now + 60) == 60)
    #expect(schedule.pause(at: now + 120) == nil)
    schedule.failed(at: now, wish: 1e12, random: 1)
    #expect(schedule.pause(at: now) == 3600)
    schedule.failed(at: now, wish: -5, random: 0)
    #expect(schedule.pause(at: now) == nil)
  }

  @Test func whatAPersonDoesWaitsForNoWish() {
    var schedule = RetrySchedule()
    schedule.failed(at: now, wish: 3000, random: 1)
    schedule.hurry()
    #expect(schedule.pause(at: now) == nil)
    // What fails then waits longer than the first time.
    schedule.failed(at: now, wish: nil, random: 1)
    #expect(schedule.pause(at: now) == 4)
  }

  @Test func aNetworkThatIsBackEndsAPause() {
    var schedule = RetrySchedule()
    schedule.failed(at: now, wish: nil, random: 1)
    schedule.wake()
    #expect(schedule.pause(at: now) == nil)
  }

  @Test func aClockThatWasSetBackEndsAPause() {
    var schedule = RetrySchedule()
    schedule.failed(at: now, wish: nil, random: 1)
    #expect(schedule.pause(at: now - 1_000_000) == nil)
  }
}
