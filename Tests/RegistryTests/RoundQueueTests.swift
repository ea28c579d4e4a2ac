import Postgres
import Testing

@testable import Registry

/// What goes together, what becomes of it and who waited for too long, without any loop.
@Suite struct RoundQueueTests {
  typealias Queue = RoundQueue<String, Int>

  static func queue(_ work: String, perRound: Int = 3, underWay: Int = 1) -> Queue {
    var queue = Queue(.init(waiting: 8, perRound: perRound, underWay: underWay))
    for name in work { queue.add(String(name)) }
    return queue
  }

  static func names(_ entries: [Queue.Entry]) -> String { entries.map(\.work).joined() }

  /// The next round, which must be there.
  static func round(
    _ queue: inout Queue, where fits: (String, String?) -> Bool = { _, _ in true }
  ) throws -> [Queue.Entry] {
    let round = queue.takeRound(where: fits)
    return try #require(round)
  }

  @Test func aRoundHasItsBounds() throws {
    var queue = Self.queue("abcdefg", perRound: 3, underWay: 2)
    #expect(!queue.isFull)
    queue.add("h")
    #expect(queue.isFull)
    let first = try Self.round(&queue)
    let second = try Self.round(&queue)
    #expect(Self.names(first) == "abc" && Self.names(second) == "def")
    #expect(!queue.mayBegin, "two are under way")
    _ = queue.end(first, first.map { _ in .done(.success(1)) })
    let third = try Self.round(&queue)
    #expect(Self.names(third) == "gh")
  }

  @Test func whatDoesNotFitStaysInItsOrder() throws {
    var queue = Self.queue("aXbYc")
    let isOfFirst: (String, String?) -> Bool = { work, first in
      first.map { ($0 == $0.uppercased()) == (work == work.uppercased()) } ?? true
    }
    let round = try Self.round(&queue, where: isOfFirst)
    #expect(Self.names(round) == "abc")
    #expect(Self.names(queue.waiting) == "XY")
  }

  @Test func eachEndsByItself() throws {
    var queue = Self.queue("abcd")
    let round = try Self.round(&queue)
    let answers = queue.end(round, [.againAlone, .done(.success(7)), .again])
    #expect(Self.names(answers.map(\.entry)) == "b")
    #expect(Self.names(queue.waiting) == "acd")
    let alone = try Self.round(&queue)
    #expect(Self.names(alone) == "a")
    _ = queue.end(alone, [.done(.success(1))])
    let rest = try Self.round(&queue)
    #expect(Self.names(rest) == "cd")
  }

  @Test func whoeverWaitsIsToldToo() throws {
    var queue = Self.queue("abcd")
    let round = try Self.round(&queue)
    let failure = PostgresError(.disconnected, "none", isSafeToRetry: true)
    let answers = queue.end(
      round, round.map { _ in .done(.failure(failure)) }, failure: failure)
    #expect(Self.names(answers.map(\.entry)) == "abcd")
    #expect(queue.waiting.isEmpty)
  }

  struct Late: Sendable {
    /// When the calls began, in the order in which they came to the queue.
    let starts: [UInt64]
    /// Which of them is answered before.
    var answered: [Int] = []
    /// Those that began before this are late.
    let limit: UInt64
    let late: [UInt64]
  }

  /// Who waits has the time that the call has left, whenever the call came to the queue.
  @Test(
    arguments: [
      Late(starts: [5, 6, 7], limit: 5, late: []),
      Late(starts: [5, 6, 7], limit: 7, late: [5, 6]),
      // One that read for long comes behind others that began later.
      Late(starts: [6, 2, 7], limit: 3, late: [2]),
      Late(starts: [6, 2, 7], answered: [1], limit: 3, late: []),
      Late(starts: [6, 2, 7, 1], answered: [0], limit: 7, late: [1, 2]),
      Late(starts: [], limit: .max, late: []),
    ])
  func whoIsLateIsToldSo(row: Late) throws {
    for mayLeave in [false, true] {
      var queue = Self.queue("")
      for start in row.starts { queue.add("\(start)", since: start) }
      for index in row.answered { queue.waiting[index].answer(.success(1)) }
      let unanswered = queue.waiting.filter { !$0.isAnswered }
      queue.failLate(
        before: row.limit, PostgresError(.disconnected, "late"), mayLeave: mayLeave)
      #expect(unanswered.filter(\.isAnswered).map(\.since).sorted() == row.late)
      let stays = queue.waiting.contains { row.late.contains($0.since) }
      #expect(stays == (!mayLeave && !row.late.isEmpty))
    }
  }
}
