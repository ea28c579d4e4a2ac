import Testing

@testable import Postgres

/// What is decided at the end of a private server.
@Suite struct PostmasterStateTests {
  enum Step: Sendable {
    case ready, stop
    case ended(PostmasterState.Ending, PostmasterState.Action)
  }
  typealias Row = (name: String, steps: [Step], phase: PostmasterState.Phase)

  private static let died = [Step.ready, .ended(.other, .recover)]

  private static func full(_ pauses: [Int]) -> [Step] {
    pauses.enumerated().map {
      .ended(.diskFull, .retry(failures: $0.offset + 1, milliseconds: $0.element))
    }
  }

  @Test(
    arguments: [
      ("a first start that fails is told, not repeated", [.ended(.other, .rest)], .over),
      ("a server that ends by itself is started again", died, .recovering(failures: 0)),
      ("as often as it ends", died + died + died + [.ready], .running),
      (
        "a start that fails is repeated after a pause that doubles",
        died + [
          .ended(.other, .retry(failures: 1, milliseconds: 500)),
          .ended(.other, .retry(failures: 2, milliseconds: 1000)),
        ], .recovering(failures: 2)
      ),
      (
        "the third in a row is the last",
        died + [
          .ended(.other, .retry(failures: 1, milliseconds: 500)),
          .ended(.other, .retry(failures: 2, milliseconds: 1000)),
          .ended(.other, .giveUp(failures: 3)),
        ], .over
      ),
      (
        "one that succeeds ends the row",
        died + [.ended(.other, .retry(failures: 1, milliseconds: 500))] + died
          + [.ended(.other, .retry(failures: 1, milliseconds: 500))], .recovering(failures: 1)
      ),
      (
        "memory that is still held is no failure",
        died + [.ended(.memoryHeld, .wait(milliseconds: 50)), .ready], .running
      ),
      (
        "a disk that is full is waited for, however often, with a pause that doubles to a bound",
        died + full([500, 1000, 2000, 4000, 8000, 16_000, 16_000, 16_000]) + [.ready], .running
      ),
      (
        "after a start that succeeds the pause is short again",
        died + full([500, 1000]) + died + full([500]), .recovering(failures: 0)
      ),
      (
        "other failures count as ever",
        died + [
          .ended(.other, .retry(failures: 1, milliseconds: 500)),
          .ended(.diskFull, .retry(failures: 1, milliseconds: 500)),
          .ended(.other, .retry(failures: 2, milliseconds: 1000)),
          .ended(.other, .giveUp(failures: 3)),
        ], .over
      ),
      ("at the first start somebody is told", [.ended(.diskFull, .rest)], .over),
      ("nobody waits for a disk any more", died + [.stop, .ended(.diskFull, .rest)], .over),
      ("nor at the first start", [.ended(.memoryHeld, .wait(milliseconds: 50)), .ready], .running),
      ("an end that is wanted is one", [.ready, .stop, .ended(.other, .rest)], .over),
      ("also while it is started again", died + [.stop, .ended(.other, .rest)], .over),
      ("whoever is ready too late ends all the same", died + [.stop, .ready], .stopping),
      ("a stop comes too late", [.ended(.other, .rest), .stop], .over),
    ] as [Row])
  func anEndLeadsTo(row: Row) {
    var state = PostmasterState()
    for step in row.steps {
      switch step {
      case .ready: state.ready()
      case .stop: state.stop()
      case .ended(let ending, let action): #expect(state.ended(ending) == action, "\(row.name)")
      }
    }
    #expect(state.phase == row.phase, "\(row.name)")
    #expect(state.mayLaunch == (row.phase != .over && row.phase != .stopping))
  }

  @Test func memoryThatIsHeldForeverIsAFailure() {
    var state = PostmasterState()
    state.ready()
    #expect(state.ended() == .recover)
    var waits = 0
    while state.ended(.memoryHeld) == .wait(milliseconds: 50) { waits += 1 }
    #expect(waits == 200)
    #expect(state.phase == .recovering(failures: 1))
    #expect(state.ended(.memoryHeld) == .wait(milliseconds: 50))
  }
}
