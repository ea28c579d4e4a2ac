import Testing

@testable import EventLoop

/// Work for many is done once at a time, and never begins before it was asked for.
@Suite(.timeLimit(.minutes(10))) struct SharedWorkTests {
  /// Pieces of work that end when they are let, and whom each was for.
  private final class Pieces: Sendable {
    let shared = SharedWork<Int, Int>()
    let begun = Record<[Int]>()
    private let gate = AsyncStream.makeStream(of: Void.self)

    /// Lets one piece end.
    func open() { gate.continuation.yield() }

    /// Asks for the number of a piece.
    func ask(_ input: Int, on loop: EventLoop) -> Task<(value: Int, isOwn: Bool), any Error> {
      Task(executorPreference: loop) { [self] in
        try await shared.value(input, on: loop) { [self] inputs in
          begun.append(inputs)
          let number = begun.all.count
          for await _ in gate.stream { break }
          if inputs.contains(0) { throw Failed() }
          return number
        }
      }
    }
  }

  private struct Failed: Error {}

  @Test func whoAsksMeanwhileSharesTheNextPiece() async throws {
    let pieces = Pieces()
    try await withLoop { loop in
      let first = pieces.ask(1, on: loop)
      await pieces.begun.wait(for: 1)
      let others = (2...50).map { pieces.ask($0, on: loop) }
      // They have all asked once the loop has come to the last of them.
      await loop.run {}
      pieces.open()
      var own = try await first.value
      #expect(own == (1, true))
      await pieces.begun.wait(for: 2)
      pieces.open()
      for (number, task) in others.enumerated() {
        let answer = try await task.value
        #expect(answer == (2, number == 0))
      }
      let later = pieces.ask(51, on: loop)
      pieces.open()
      own = try await later.value
      #expect(own == (3, true))
    }
    #expect(pieces.begun.all == [[1], Array(2...50), [51]])
  }

  @Test func allWhoShareAFailureAreToldAndTheNextPieceIsAnother() async throws {
    let pieces = Pieces()
    try await withLoop { loop in
      let sharing = [0, 1].map { pieces.ask($0, on: loop) }
      await pieces.begun.wait(for: 1)
      let next = pieces.ask(2, on: loop)
      await loop.run {}
      pieces.open()
      for task in sharing { await #expect(throws: Failed.self) { _ = try await task.value } }
      pieces.open()
      let later = try await next.value.value
      #expect(later == 2)
    }
    #expect(pieces.begun.all == [[0, 1], [2]])
  }

  @Test func callersThatBringNothingShareWorkToo() async throws {
    let shared = SharedWork<Void, Int>()
    let made = Record<Int>()
    try await withLoop { loop in
      let asking = (1...10).map { number in
        Task(executorPreference: loop) {
          try await shared.value(on: loop) {
            made.append(number)
            return number
          }
        }
      }
      for task in asking {
        let value = try await task.value
        #expect(value == 1)
      }
    }
    #expect(made.all == [1])
  }
}
