/// What waits for worker threads: decides what may wait, and what is next.
///
/// With bounds of two pieces and ten bytes: 8 bytes wait, 2 more may, then nothing. 20 bytes may
/// wait when nothing else does, or they could never be read.
///
/// A holder, an app, has three quarters of the line at most, so that the others find it open. With
/// bounds of four pieces: three of A wait, the fourth of A may not, one of B may.
struct WorkLine<Work> {
  /// How much waits.
  private struct Load {
    var count = 0
    var bytes = 0

    mutating func add(_ bytes: Int) {
      count += 1
      self.bytes += bytes
    }

    mutating func take(_ bytes: Int) {
      count -= 1
      self.bytes -= bytes
    }

    /// Whether it would be within bounds with one piece more. The first may have any size.
    func has(roomFor bytes: Int, count limit: Int, bytes byteLimit: Int) -> Bool {
      count == 0 || count < limit && self.bytes + bytes <= byteLimit
    }
  }

  private let bounds: WorkerThreads.Bounds
  private var waiting: [(bytes: Int, holder: Int32?, work: Work)] = []
  private var load = Load()
  private var held: [Int32: Load] = [:]

  init(_ bounds: WorkerThreads.Bounds) { self.bounds = bounds }

  /// Puts work at the end of the line.
  /// - Parameters:
  ///   - isUnderWay: It may wait whatever the bounds say.
  ///   - leavesHalf: Half of the bounds is kept free for others.
  ///   - holder: For whom; `nil` for whom there is no share.
  /// - Returns: Whether it may wait.
  mutating func add(
    _ work: Work, bytes: Int, isUnderWay: Bool = false, leavesHalf: Bool = false,
    for holder: Int32? = nil
  ) -> Bool {
    guard isUnderWay || fits(bytes, leavesHalf, holder) else { return false }
    waiting.append((bytes, holder, work))
    load.add(bytes)
    if let holder { held[holder, default: Load()].add(bytes) }
    return true
  }

  private func fits(_ bytes: Int, _ leavesHalf: Bool, _ holder: Int32?) -> Bool {
    let parts = leavesHalf ? 2 : 1
    guard
      load.has(
        roomFor: bytes, count: bounds.waiting / parts, bytes: bounds.waitingBytes / parts)
    else { return false }
    guard let load = holder.flatMap({ held[$0] }) else { return true }
    return load.has(
      roomFor: bytes, count: bounds.waiting - bounds.waiting / 4,
      bytes: bounds.waitingBytes - bounds.waitingBytes / 4)
  }

  /// Takes what came first.
  mutating func next() -> (bytes: Int, work: Work)? {
    guard !waiting.isEmpty else { return nil }
    let first = waiting.removeFirst()
    load.take(first.bytes)
    if let holder = first.holder {
      held[holder]?.take(first.bytes)
      if held[holder]?.count == 0 { held[holder] = nil }
    }
    return (first.bytes, first.work)
  }
}
