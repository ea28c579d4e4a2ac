/// What waits for worker threads: decides what may wait, and what is next.
///
/// With bounds of two pieces and ten bytes: 8 bytes wait, 2 more may, then nothing. 20 bytes may
/// wait when nothing else does, or they could never be read.
struct WorkLine<Work> {
  private let bounds: WorkerThreads.Bounds
  private var waiting: [(bytes: Int, work: Work)] = []
  private var waitingBytes = 0

  init(_ bounds: WorkerThreads.Bounds) { self.bounds = bounds }

  /// Puts work at the end of the line.
  /// - Parameters:
  ///   - isUnderWay: It may wait whatever the bounds say.
  ///   - leavesHalf: Half of the bounds is kept free for others.
  /// - Returns: Whether it may wait.
  mutating func add(
    _ work: Work, bytes: Int, isUnderWay: Bool = false, leavesHalf: Bool = false
  ) -> Bool {
    let share = leavesHalf ? 2 : 1
    let fits =
      waiting.isEmpty
      || (waiting.count < bounds.waiting / share
        && waitingBytes + bytes <= bounds.waitingBytes / share)
    guard fits || isUnderWay else { return false }
    waiting.append((bytes, work))
    waitingBytes += bytes
    return true
  }

  /// Takes what came first.
  mutating func next() -> (bytes: Int, work: Work)? {
    guard !waiting.isEmpty else { return nil }
    let first = waiting.removeFirst()
    waitingBytes -= first.bytes
    return first
  }
}
