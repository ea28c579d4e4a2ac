import TestSupport
import Testing

/// What the other tests measure is told apart: a list that is read once, and one that is read again
/// for each of its elements.
@Suite struct GrowthTests {
  private static func sum(_ numbers: [Int]) -> Int { numbers.reduce(0, &+) }

  @Test func quadraticWorkIsToldFromLinearWork() {
    let (small, large) = (Array(0..<500), Array(0..<2000))
    let linear = Growth.ofWork(on: small, and: large) { numbers in
      for _ in 0..<100 { #expect(Self.sum(numbers) > 0) }
    }
    #expect(linear < Growth.limit)
    let quadratic = Growth.ofWork(on: small, and: large) { numbers in
      #expect(numbers.allSatisfy { Self.sum(numbers) > $0 - 1 })
    }
    #expect(quadratic > Growth.limit)
  }
}
