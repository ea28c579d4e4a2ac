import Postgres
import Testing

@testable import Registry

/// Who waits in a queue has the time that the call has left, whenever the call came to the queue.
@MainActor @Suite struct WaitingCallersTests {
  /// The callers of a queue, by a made-up clock.
  @MainActor private final class Queue {
    private var callers = WaitingCallers(lateness: PostgresError(.disconnected, "late"))
    private var waiting: [WaitingCaller<Int>] = []
    private(set) var late: [UInt64] = []

    func add(_ start: UInt64) async {
      let count = waiting.count
      Task {
        let answer = await withUnsafeContinuation { waiting.append(callers.add($0, since: start)) }
        if case .failure = answer { late.append(start) }
      }
      while waiting.count == count { await Task.yield() }
    }

    func answer(_ index: Int) { waiting[index].answer(.success(1)) }

    func failLate(before limit: UInt64) -> Bool { callers.failLate(before: limit) }

    /// Lets all be told.
    func settle(_ count: Int) async {
      while late.count < count { await Task.yield() }
    }
  }

  struct Row: Sendable {
    /// When the calls began, in the order in which they came to the queue.
    let starts: [UInt64]
    /// Which of them is answered before.
    var answered: [Int] = []
    /// Those that began before this are late.
    let limit: UInt64
    let late: [UInt64]
  }

  @Test(
    arguments: [
      Row(starts: [5, 6, 7], limit: 5, late: []),
      Row(starts: [5, 6, 7], limit: 7, late: [5, 6]),
      // One that read for long comes behind others that began later.
      Row(starts: [6, 2, 7], limit: 3, late: [2]),
      Row(starts: [6, 2, 7], answered: [1], limit: 3, late: []),
      Row(starts: [6, 2, 7, 1], answered: [0], limit: 7, late: [1, 2]),
      Row(starts: [], limit: .max, late: []),
    ])
  func whoIsLateIsToldSo(row: Row) async {
    let queue = Queue()
    for start in row.starts { await queue.add(start) }
    for index in row.answered { queue.answer(index) }
    #expect(queue.failLate(before: row.limit) == !row.late.isEmpty)
    await queue.settle(row.late.count)
    #expect(queue.late.sorted() == row.late)
    // Once is enough.
    #expect(!queue.failLate(before: row.limit))
  }
}
