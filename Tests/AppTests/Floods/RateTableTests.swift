import Testing

@testable import App

@Suite struct RateTableTests {
  /// With 1 a second and a burst of 10, what cost 12 leaves a debt of 2, whatever was answered.
  @Test func whatACallCostIsTaken() {
    var table = RateTable(RateLimit(perSecond: 1, burst: 10))
    table.charge(1, at: second, count: 2)
    for _ in 0..<8 { #expect(table.take(1, at: second) == nil) }
    #expect(table.take(1, at: second) == second)
    table.charge(1, at: second, count: 2)
    #expect(table.take(1, at: second) == 3 * second)
    // A debt ends in a time that is known.
    table.charge(1, at: second, count: 1_000_000)
    table.charge(1, at: second, count: 1_000_000)
    #expect(table.take(1, at: second) == 11 * second)
  }

  private let second: UInt64 = 1_000_000_000

  @Test func aBucketGivesItsBurstAndThenItsRate() {
    var table = RateTable(RateLimit(perSecond: 2, burst: 3))
    let steps: [(at: UInt64, wait: UInt64?)] = [
      (10 * second, nil), (10 * second, nil), (10 * second, nil), (10 * second, second / 2),
      (10 * second + second / 4, second / 4), (10 * second + second / 2, nil),
      (10 * second + second / 2, second / 2), (100 * second, nil), (100 * second, nil),
      (100 * second, nil), (100 * second, second / 2),
    ]
    for step in steps { #expect(table.take(7, at: step.at) == step.wait) }
  }

  @Test func whatIsKeptIsForOthers() {
    var table = RateTable(RateLimit(perSecond: 1, burst: 10))
    for _ in 0..<6 { #expect(table.take(1, at: second, keeping: 4) == nil) }
    #expect(table.take(1, at: second, keeping: 4) == second)
    for _ in 0..<4 { #expect(table.take(1, at: second) == nil) }
    #expect(table.take(1, at: second) == second)
  }

  @Test func severalAtOnceAreTakenOrNone() {
    var table = RateTable(RateLimit(perSecond: 1, burst: 10))
    #expect(table.take(1, at: second, count: 7) == nil)
    #expect(table.take(1, at: second, count: 4) == second)
    #expect(table.take(1, at: second, count: 3) == nil)
    // What never fits is all that can be.
    #expect(table.take(2, at: second, count: 11) == nil)
    #expect(table.take(2, at: second) == second)
  }

  @Test func keysHaveBucketsOfTheirOwn() {
    var table = RateTable(RateLimit(perSecond: 1, burst: 1))
    #expect(table.take(1, at: second) == nil)
    #expect(table.take(2, at: second) == nil)
    #expect(table.take(1, at: second) != nil)
    #expect(table.take(2, at: second) != nil)
  }

  @Test func aFloodOfKeysDoesNotFreeTheWorst() {
    var table = RateTable(RateLimit(perSecond: 1, burst: 100), places: 64)
    for _ in 0..<100 { #expect(table.take(42, at: second) == nil) }
    for key in 1000..<100_000 { _ = table.take(UInt64(key), at: second) }
    #expect(table.take(42, at: second) == second)
  }

  @Test(arguments: ["20/1000", "1/1", "1000000/100000000"])
  func aLimitIsRead(text: String) { #expect(RateLimit(text)?.description == text) }

  @Test(arguments: ["", "20", "20/", "/5", "0/5", "5/0", "-1/5", "5/5/5", "5 / 5", "1000001/1"])
  func noLimit(text: String) { #expect(RateLimit(text) == nil) }
}
