/// Deadlines in order of time: a binary heap of (time, key).
///
/// Entries are never searched or removed: a handler that no longer wants its timer ignores it, and
/// a handler whose deadline moved later schedules another timer when the early one fires. So a
/// connection whose deadline moves with every request costs no heap work per request.
struct TimerQueue {
  private struct Entry {
    let deadline: UInt64
    let key: LoopKey
  }
  private var heap: [Entry] = []

  /// The earliest deadline, in nanoseconds of the monotonic clock.
  var next: UInt64? { heap.first?.deadline }

  mutating func insert(_ key: LoopKey, at deadline: UInt64) {
    heap.append(Entry(deadline: deadline, key: key))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].deadline < heap[parent].deadline else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes the earliest entry if its time has come.
  mutating func popDue(now: UInt64) -> LoopKey? {
    guard let first = heap.first, first.deadline <= now else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first.key }
    heap[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].deadline < heap[child].deadline { child += 1 }
      guard heap[child].deadline < heap[parent].deadline else { break }
      heap.swapAt(child, parent)
      parent = child
    }
    return first.key
  }
}
