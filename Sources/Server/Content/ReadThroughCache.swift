package import EventLoop
internal import Synchronization

/// Values in memory. A value is read when it is first asked for, and once however many callers ask
/// meanwhile.
///
/// Code that changes a value makes the cache forget it: a reading that began before the change then
/// keeps nothing. Beyond the bounds the cache forgets what was not asked for the longest.
package final class ReadThroughCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private enum Entry {
    /// It is read; all who ask wait for the same reading.
    case loading(Task<Value, any Error>)
    case ready(Value, bytes: Int)
  }

  private struct Slot {
    /// The number of the reading.
    let reading: Int64
    var entry: Entry
    /// The number of the last question that asked for the slot.
    var lastUse: Int64

    var bytes: Int { if case .ready(_, let bytes) = entry { bytes } else { 0 } }

    /// The order in which slots go: first values without a byte, which say that there is nothing,
    /// as anyone can name any number of such keys; then values that were not asked for the longest.
    var rank: (Int, Int64) {
      if case .ready(_, bytes: 0) = entry { (0, lastUse) } else { (1, lastUse) }
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
  ///   - maximumCount: Values that are kept.
  ///   - maximumBytes: Bytes of the values that are kept, but for one value of any size.
  ///   - bytes: The bytes that a value counts for; 0 if it says that there is nothing.
  package init(
    maximumCount: Int, maximumBytes: Int, bytes: @escaping @Sendable (Value) -> Int
  ) {
    self.maximumCount = maximumCount
    self.maximumBytes = maximumBytes
    self.bytes = bytes
  }

  /// The value of a key.
  /// - Parameter read: Reads the value, on the loop, within the time of the call that asks first.
  ///   It is given a number that no other reading has.
  package func value(
    _ key: Key, on loop: EventLoop, read: @escaping @Sendable (Int64) async throws -> Value
  ) async throws -> Value {
    let entry = state.withLock { state in
      state.questions += 1
      let question = state.questions
      if let entry = state.slots[key]?.entry {
        state.slots[key]?.lastUse = question
        return entry
      }
      // Within the lock: a change that is told meanwhile must find the reading, and forget it.
      let entry = Entry.loading(
        Task(executorPreference: loop) { [self] in
          do {
            let value = try await read(question)
            end(question, of: key, .ready(value, bytes: bytes(value)))
            return value
          } catch {
            end(question, of: key, nil)
            throw error
          }
        })
      state.slots[key] = Slot(reading: question, entry: entry, lastUse: question)
      return entry
    }
    switch entry {
    case .ready(let value, _): return value
    case .loading(let reading): return try await reading.value
    }
  }

  /// The value changed: the next question reads it anew.
  package func forget(_ key: Key) {
    state.withLock { $0.slots[key] = nil }
  }

  /// Anything may have changed.
  package func forgetAll() {
    state.withLock { $0.slots.removeAll() }
  }

  /// Puts the outcome of a reading in place, unless the key was forgotten meanwhile.
  private func end(_ reading: Int64, of key: Key, _ entry: Entry?) {
    state.withLock { state in
      guard var slot = state.slots[key], slot.reading == reading else { return }
      guard let entry else {
        state.slots[key] = nil
        return
      }
      slot.entry = entry
      state.slots[key] = slot
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
