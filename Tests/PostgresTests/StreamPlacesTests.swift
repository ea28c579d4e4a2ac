import Testing

@testable import Postgres

/// The places for bulk transfers: nobody has them all.
@Suite struct StreamPlacesTests {
  private static let a = Int32(1)
  private static let b = Int32(2)

  enum Step: Sendable {
    case take(Int32?, Bool)
    case give(Int32?)
  }

  @Test(
    arguments: [
      (4, [.take(a, true), .take(a, true), .take(a, true), .take(a, false), .take(b, true)]),
      (
        4,
        [
          .take(a, true), .take(a, true), .take(a, true), .take(b, true), .take(b, false),
          .take(nil, false), .give(a), .take(b, true), .give(b), .give(b), .take(a, true),
          .take(a, false),
        ]
      ),
      // The service itself has a right to all.
      (4, Array(repeating: .take(nil, true), count: 4) + [.take(a, false)]),
      (1, [.take(a, true), .take(b, false), .give(a), .take(b, true)]),
      (2, [.take(a, true), .take(a, false), .take(b, true)]),
      (32, Array(repeating: .take(a, true), count: 24) + [.take(a, false), .take(b, true)]),
      (0, [.take(a, false), .take(nil, false)]),
    ] as [(Int, [Step])])
  func oneHolderLeavesRoomForOthers(limit: Int, steps: [Step]) {
    var places = StreamPlaces(limit: limit)
    for (number, step) in steps.enumerated() {
      switch step {
      case .take(let holder, let isTaken):
        #expect(places.take(for: holder) == isTaken, "step \(number)")
      case .give(let holder): places.give(for: holder)
      }
    }
  }
}
