internal import EventLoop
internal import Synchronization

/// Values in memory that are read from the database when first asked for, each once however many
/// ask meanwhile. That a key has none is remembered too.
///
/// Whoever changes a value has it forgotten: a reading that began before the change then keeps
/// nothing.
final class ReadThroughCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private enum Entry {
    /// Someone reads it; others wait for the same reading.
    case loading(Task<Value?, any Error>)
    /// It is here, or known to be absent.
    case ready(Value?)
  }

  private struct Slot {
    var entry: Entry
    var bytes = 0
    /// When it was last asked for, in questions.
    var lastUse: Int64

    /// Which slots go first: keys without a value, of which anyone can name any number, then those
    /// that were not asked for the longest.
    var rank: (Int, Int64) {
      if case .ready(nil) = entry { (0, lastUse) } else { (1, lastUse) }
    }
  }

  private struct State {
    var slots: [Key: Slot] = [:]
    /// Questions so far.
    var questions: Int64 = 0
  }

  private let state = Mutex(State())
  private let maximumCount: Int
  private let maximumBytes: Int
  private let bytes: @Sendable (Value) -> Int

  /// An empty cache.
  /// - Parameters:
  ///   - maximumCount: Values, and keys without one, that are kept.
  ///   - maximumBytes: Bytes of the values that are kept, but for one value of any size.
  ///   - bytes: What a value counts for.
  init(maximumCount: Int, maximumBytes: Int, bytes: @escaping @Sendable (Value) -> Int) {
    self.maximumCount = maximumCount
    self.maximumBytes = maximumBytes
    self.bytes = bytes
  }

  /// The value of a key, `nil` when there is none.
  /// - Parameter read: Reads it, on the loop, within the time of the call that asks first. It is
  ///   given a number that no other reading has.
  func value(
    _ key: Key, on loop: EventLoop, read: @escaping @Sendable (Int64) async throws -> Value?
  ) async throws -> Value? {
    let entry = state.withLock { state in
      state.questions += 1
      let question = state.questions
      if let entry = state.slots[key]?.entry {
        state.slots[key]?.lastUse = question
        return entry
      }
      // Within the lock: a change that is told meanwhile must find the reading, and forget it.
      let entry = Entry.loading(Task(executorPreference: loop) { try await read(question) })
      state.slots[key] = Slot(entry: entry, lastUse: question)
      return entry
    }
    let task: Task<Value?, any Error>
    switch entry {
    case .ready(let value): return value
    case .loading(let running): task = running
    }
    do {
      let value = try await task.value
      finish(key, task, .ready(value), value.map(bytes) ?? 0)
      return value
    } catch {
      finish(key, task, nil)
      throw error
    }
  }

  /// The value changed: the next question reads it anew.
  func forget(_ key: Key) {
    state.withLock { $0.slots[key] = nil }
  }

  /// Anything may have changed.
  func forgetAll() {
    state.withLock { $0.slots.removeAll() }
  }

  /// Puts the outcome in place, unless the key was forgotten while its value was read.
  private func finish(
    _ key: Key, _ task: Task<Value?, any Error>, _ entry: Entry?, _ bytes: Int = 0
  ) {
    state.withLock { state in
      guard case .loading(let current) = state.slots[key]?.entry, current == task else { return }
      guard let entry else {
        state.slots[key] = nil
        return
      }
      state.slots[key]?.entry = entry
      state.slots[key]?.bytes = bytes
      trim(&state.slots)
    }
  }

  /// Forgets by rank until the rest is within the bounds, with some room so that not each further
  /// key sorts them all.
  private func trim(_ slots: inout [Key: Slot]) {
    var bytes = slots.values.reduce(0) { $0 + $1.bytes }
    guard slots.count > maximumCount || bytes > maximumBytes else { return }
    let kept = maximumCount - maximumCount / 8
    for (key, slot) in slots.sorted(by: { $0.value.rank < $1.value.rank }) {
      guard slots.count > kept || bytes > maximumBytes, slots.count > 1 else { return }
      slots[key] = nil
      bytes -= slot.bytes
    }
  }
}
