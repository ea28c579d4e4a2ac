internal import CLinux

/// What a descriptor is ready for; the bits of epoll(7).
public struct Readiness: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Bytes, a connection or the end of the stream can be read.
  public static let readable = Readiness(rawValue: EPOLLIN.rawValue | EPOLLRDHUP.rawValue)
  /// The socket's send buffer has room.
  public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
  /// The peer writes no more; told together with ``readable``.
  public static let ended = Readiness(rawValue: EPOLLRDHUP.rawValue)
  /// The peer is gone or the socket failed; always reported.
  public static let closed = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
}

/// Names a registered handler; never used twice, so a late event cannot reach a successor.
public typealias LoopKey = UInt64

/// An object that lives on one loop and hears of its descriptor and its timers there.
public protocol LoopHandler: AnyObject {
  func loopReady(_ readiness: Readiness)
  /// A time given to ``EventLoop/schedule(_:at:)`` has passed. The time may be stale: compare it
  /// with the deadline that is wanted now.
  func loopTimerFired()
  /// The loop ends, and calls no handler again: a task that waits for this one must be woken now.
  func loopEnded()
}

extension LoopHandler {
  /// Does nothing: no task waits for this handler.
  public func loopEnded() {}
}

/// An object that acts when all jobs of a cycle have run.
public protocol CycleEndHandler: AnyObject {
  /// All tasks that could run have run.
  func loopCycleEnded()
}

/// Handlers by key: slot index in the low half, generation in the high half.
struct SlotTable {
  /// The key of the loop's own wake-up descriptor.
  static let wakeupKey = LoopKey.max

  private struct Slot {
    var generation: UInt32 = 0
    var handler: (any LoopHandler)?
  }
  private var slots: [Slot] = []
  private var free: [UInt32] = []

  mutating func insert(_ handler: any LoopHandler) -> LoopKey {
    let index: UInt32
    if let reused = free.popLast() {
      index = reused
    } else {
      index = UInt32(slots.count)
      slots.append(Slot())
    }
    slots[Int(index)].handler = handler
    return LoopKey(slots[Int(index)].generation) << 32 | LoopKey(index)
  }

  func handler(_ key: LoopKey) -> (any LoopHandler)? {
    let slot = slots[Int(UInt32(truncatingIfNeeded: key))]
    return slot.generation == UInt32(key >> 32) ? slot.handler : nil
  }

  mutating func remove(_ key: LoopKey) {
    let index = UInt32(truncatingIfNeeded: key)
    guard handler(key) != nil else { return }
    slots[Int(index)].handler = nil
    // The last generation is never given out, so no key equals `wakeupKey`.
    slots[Int(index)].generation = (slots[Int(index)].generation + 1) % UInt32.max
    free.append(index)
  }

  /// Takes all handlers; their keys then lead to none.
  mutating func takeAll() -> [any LoopHandler] {
    let handlers = slots.compactMap(\.handler)
    for index in slots.indices { slots[index].handler = nil }
    return handlers
  }
}
