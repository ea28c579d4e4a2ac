import Postgres
import Testing

@testable import App
@testable import Registry

/// When refusals are believed, and when they are the sender's mistake.
@Suite struct FeedbackBreakerTests {
  private var breaker = FeedbackBreaker(at: Self.time(0))

  private static func time(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: 1_700_000_000_000_000 + Int64(seconds * 1_000_000))
  }

  private static func tokens(_ range: Range<Int>) -> Set<DeviceToken> {
    Set(
      range.compactMap { number in
        DeviceToken(
          bytes: Array(repeating: UInt8(number / 256), count: 16) + [UInt8(number % 256)])
      })
  }

  /// Reports and returns whether refusals change nothing.
  private mutating func isOpen(
    _ tokens: Range<Int>, accepted: Int = 0, at seconds: Double
  ) -> Bool {
    breaker.report(refused: Self.tokens(tokens), accepted: accepted, at: Self.time(seconds)).isOpen
  }

  @Test mutating func twentyTokensWithinAMinuteAreABurst() {
    #expect(!isOpen(0..<19, at: 0))
    let ruling = breaker.report(refused: Self.tokens(19..<20), accepted: 0, at: Self.time(59))
    #expect(ruling.isOpen)
    #expect(ruling.events == [.opened])
    #expect(ruling.restored == Self.tokens(0..<19))
  }

  @Test mutating func aBurstInOneReportRestoresNothing() {
    let ruling = breaker.report(refused: Self.tokens(0..<100), accepted: 0, at: Self.time(0))
    #expect(ruling == .init(isOpen: true, restored: [], events: [.opened]))
  }

  @Test mutating func refusalsOlderThanAMinuteDoNotCount() {
    #expect(!isOpen(0..<19, at: 0))
    #expect(!isOpen(19..<20, at: 60))
    #expect(breaker.refusals.count == 1)
  }

  /// An hour, as after the clock was set right.
  @Test mutating func aClockThatGoesBackHoldsNothingUp() {
    #expect(!isOpen(0..<15, accepted: 100_000, at: 3600))
    #expect(!isOpen(100..<110, at: 0), "refusals of the future are none")
    #expect(isOpen(200..<220, at: 61), "and so are the pushes that were taken then")
    #expect(breaker.isOpen(at: Self.time(61)))
    #expect(!breaker.isOpen(at: Self.time(61 - 3600)))
  }

  @Test mutating func theSameTokensCountOnce() {
    for second in 0..<30 { #expect(!isOpen(0..<19, at: Double(second))) }
    #expect(breaker.refusals.count == 19)
  }

  @Test mutating func fewAmongManyAreBelieved() {
    #expect(!isOpen(0..<0, accepted: 181, at: 0))
    #expect(!isOpen(0..<20, at: 1), "20 of 201")
    #expect(isOpen(20..<21, at: 2), "21 of 202")
  }

  @Test mutating func aTenthIsNotBelieved() {
    #expect(isOpen(0..<20, accepted: 180, at: 0))
  }

  @Test mutating func takenPushesAreForgottenWithTheirMinute() {
    #expect(!isOpen(0..<0, accepted: 10_000, at: 0))
    #expect(!isOpen(0..<30, at: 70), "most of the last minute's count still")
    #expect(isOpen(30..<60, at: 125), "none do")
  }

  @Test mutating func openItBelievesNothingAndSaysSoOnce() {
    #expect(isOpen(0..<20, at: 0))
    let ruling = breaker.report(refused: Self.tokens(40..<41), accepted: 9999, at: Self.time(61))
    #expect(ruling == .init(isOpen: true))
    #expect(breaker.openedAt == Self.time(0))
  }

  /// The first report after the opening may have failed before it undid anything.
  @Test mutating func whatLedToItIsRestoredForAMinute() {
    #expect(!isOpen(0..<10, at: 0))
    #expect(isOpen(10..<20, at: 1))
    let again = breaker.report(refused: Self.tokens(20..<21), accepted: 0, at: Self.time(2))
    #expect(again.restored == Self.tokens(0..<10))
    #expect(again.events == [])
    let late = breaker.report(refused: Self.tokens(21..<22), accepted: 0, at: Self.time(61))
    #expect(late.restored == [])
  }

  @Test mutating func tenMinutesWithoutARefusalCloseIt() {
    #expect(isOpen(0..<20, at: 0))
    #expect(isOpen(20..<21, at: 599))
    #expect(breaker.isOpen(at: Self.time(1198.999)))
    #expect(!breaker.isOpen(at: Self.time(1199)))
    let ruling = breaker.report(refused: Self.tokens(0..<1), accepted: 0, at: Self.time(1199))
    #expect(ruling == .init(isOpen: false, restored: [], events: [.closed]))
    #expect(breaker.refusals.count == 1)
  }

  @Test mutating func itMayOpenAgainAtOnce() {
    #expect(isOpen(0..<20, at: 0))
    let ruling = breaker.report(refused: Self.tokens(0..<20), accepted: 0, at: Self.time(600))
    #expect(ruling == .init(isOpen: true, restored: [], events: [.closed, .opened]))
  }

  @Test mutating func anAdminIsBelievedForAnHour() {
    #expect(isOpen(0..<20, at: 0))
    #expect(breaker.close(at: Self.time(1)) == [.closed])
    #expect(breaker.close(at: Self.time(2)) == [], "it was closed")
    #expect(!isOpen(0..<500, at: 3))
    #expect(!isOpen(0..<500, at: 3601.999))
    #expect(breaker.refusals == [])
    #expect(isOpen(0..<500, at: 3602))
  }

  @Test mutating func itsMemoryIsBounded() {
    #expect(!isOpen(0..<2000, accepted: 1_000_000, at: 0))
    #expect(breaker.refusals.count == Limits.breakerMemory)
  }

  @Test mutating func aClockThatGoesBackHarmsNothing() {
    #expect(!isOpen(0..<10, accepted: 5, at: 100))
    #expect(isOpen(10..<20, accepted: 5, at: 99))
    #expect(breaker.isOpen(at: Self.time(98)))
  }
}
