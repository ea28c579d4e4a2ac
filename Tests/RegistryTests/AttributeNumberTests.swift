import JSON
import TestSupport
import Testing

@testable import Registry

/// The numbers that attributes are compared by, and the ranges under which the index knows them.
@Suite struct AttributeNumberTests {
  private static func number(_ json: String) -> AttributeNumber? {
    JSONValue(parsing: Array(json.utf8)).flatMap { AttributeNumber($0) }
  }

  @Test(
    arguments: [
      ("7", 7), ("7.0", 7), ("-0.0", 0), ("1e3", 1000), (#""2026-05-02T00:00:00Z""#, 1_777_680_000),
      (#""2026-05-02""#, 1_777_680_000), (#""2026-05-02T02:00:00.5+02:00""#, 1_777_680_000.5),
      (#""1969-12-31T23:59:59Z""#, -1),
    ] as [(String, Double)])
  func aValueHasANumber(json: String, value: Double) {
    #expect(Self.number(json) == AttributeNumber(value))
  }

  @Test(
    arguments: [
      #""7""#, #""pro""#, #""""#, "true", "null", #""2026-02-30""#, #""2026-05-02T00:00:00""#,
      #""2026-5-2""#,
    ])
  func anotherValueHasNone(json: String) { #expect(Self.number(json) == nil) }

  static let ascending: [Double] = [
    -.infinity, -1e300, -0x1p63, -5e9, -7.25, -7, -1, -0.001, -1e-9, 0, 1e-9, 0x1p-16, 0.5, 1, 1.5,
    7, 7.25, 4095, 4096, 1_777_680_000, 1_777_680_001, 9e18, 0x1p63, 1e300, .infinity,
  ]

  @Test func placesHaveTheOrderOfTheNumbers() {
    let numbers = Self.ascending.map { AttributeNumber($0) }
    #expect(numbers.map(\.text) == numbers.map(\.text).sorted())
    #expect(Set(numbers.map(\.text)).count == numbers.count)
    for (low, high) in zip(numbers, numbers.dropFirst()) {
      for (one, other) in zip(low.nodes, high.nodes) { #expect(one.place <= other.place) }
    }
  }

  @Test(
    arguments: [
      (7, ["a19", "b1264", "c80896"]), (-7, ["a-20", "b-1264", "c-80896"]),
      (0, ["a0", "b0", "c0"]), (1e-9, ["a0", "b0", "c0"]),
      (1e300, ["a80", "b5120", "c327680"]),
    ] as [(Double, [String])])
  func aNumberLiesInANodeOfEachLevel(value: Double, nodes: [String]) {
    #expect(AttributeNumber(value).nodes.map(\.text) == nodes)
  }

  private static func range(
    _ bounds: [(AttributeRange.Comparison, Double)]
  ) -> AttributeRange {
    var range = AttributeRange()
    for (comparison, value) in bounds { range.narrow(comparison, AttributeNumber(value)) }
    return range
  }

  @Test(
    arguments: [
      ([(.gte, 8), (.lt, 32)], ["a20", "a21"]),
      ([(.gte, 16), (.lte, 16)], ["c86016"]),
      ([(.gte, 5), (.lt, 5)], []), ([(.gt, 5), (.lte, 5)], []), ([(.gte, 9), (.lt, 3)], []),
    ] as [([(AttributeRange.Comparison, Double)], [String])])
  func aRangeHasFewNodes(row: (bounds: [(AttributeRange.Comparison, Double)], nodes: [String])) {
    #expect(
      AttributeNumber.cover(Self.range(row.bounds)).map(\.text).sorted() == row.nodes.sorted())
  }

  @Test(
    arguments: [
      ([(.gte, 30), (.lt, 31)], true), ([(.gte, 30), (.lte, 31)], false),
      ([(.gt, 30), (.lt, 31)], false), ([(.gte, 30)], true), ([(.lt, -0x1p-16)], false),
      ([(.lte, -0x1p-16)], true), ([(.gte, 0)], false), ([], true), ([(.gte, 4097)], true),
      ([(.gte, 8193)], false), ([(.gte, -.infinity), (.lte, .infinity)], true),
    ] as [([(AttributeRange.Comparison, Double)], Bool)])
  func someRangesAreCoveredExactly(row: (bounds: [(AttributeRange.Comparison, Double)], Bool)) {
    #expect(Self.range(row.bounds).isCoveredExactly == row.1)
  }

  /// Whatever lies in a range has a node of its cover, and a cover is small.
  @Test(arguments: 0..<20 as Range<UInt64>) func aCoverHoldsItsRange(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func value() -> Double {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: Double(Int.random(in: -20...20, using: &random))
      case 1: Double.random(in: -1e-4...1e-4, using: &random)
      case 2: 1_790_000_000 + Double(Int.random(in: -100_000_000...100_000_000, using: &random))
      default: Self.ascending.randomElement(using: &random) ?? 0
      }
    }
    for _ in 0..<200 {
      let bounds = (0...Int.random(in: 0...1, using: &random)).map { _ in
        (AttributeRange.Comparison.allCases.randomElement(using: &random) ?? .gte, value())
      }
      let range = Self.range(bounds)
      let cover = Set(AttributeNumber.cover(range))
      #expect(cover.count <= 420)
      for _ in 0..<50 {
        let one = value()
        let isMeant = bounds.allSatisfy { comparison, bound in
          switch comparison {
          case .gte: one >= bound
          case .gt: one > bound
          case .lte: one <= bound
          case .lt: one < bound
          }
        }
        let number = AttributeNumber(one)
        #expect(range.contains(number) == isMeant, "\(bounds) \(one)")
        let isFound = !cover.isDisjoint(with: number.nodes)
        #expect(isFound || !isMeant, "\(bounds) \(one)")
        if range.isCoveredExactly { #expect(isFound == isMeant, "\(bounds) \(one)") }
      }
    }
  }
}
