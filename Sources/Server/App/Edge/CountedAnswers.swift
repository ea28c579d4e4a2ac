internal import EventLoop
internal import JSON
internal import Postgres
internal import Registry
internal import Synchronization

/// Answers that take long to count, kept in the memory of this instance for callers that accept an
/// older one: `max_age` in the query.
///
/// The service counts some answers ahead, so that a page of statistics of a large app is there at
/// once.
final class CountedAnswers: Sendable {
  /// The question that an answer belongs to.
  struct Key: Hashable, Sendable {
    let operation: String
    let appID: Int32
    /// Another name in the path.
    var target = ""
  }

  private struct Entry {
    let json: [UInt8]
    let countedAt: Timestamp
  }

  private let entries = Mutex<[Key: Entry]>([:])

  /// The answer, if it was not counted before a time.
  func answer(_ key: Key, since: Timestamp) -> [UInt8]? {
    entries.withLock { entries in
      entries[key].flatMap { $0.countedAt >= since ? $0.json : nil }
    }
  }

  /// Forgets an app's answers that are no longer true.
  func forget(_ operation: String, of appID: Int32) {
    entries.withLock { entries in
      entries = entries.filter { $0.key.appID != appID || $0.key.operation != operation }
    }
  }

  /// Keeps an answer; the oldest make room for it.
  func keep(_ json: [UInt8], countedAt: Timestamp, as key: Key) {
    entries.withLock { entries in
      entries[key] = Entry(json: json, countedAt: countedAt)
      var bytes = entries.values.reduce(0) { $0 + $1.json.count }
      while bytes > Limits.countedAnswerBytes,
        let oldest = entries.min(by: { $0.value.countedAt < $1.value.countedAt })
      {
        bytes -= oldest.value.json.count
        entries[oldest.key] = nil
      }
    }
  }
}

extension LoopContext {
  /// The answer to a question that takes long: the one in memory, or else a new count.
  /// - Parameters:
  ///   - maximumAge: Seconds; 0 counts anew.
  ///   - count: Counts the present answer.
  func counted(
    _ key: CountedAnswers.Key, at now: Timestamp, maximumAge: Int,
    _ count: () async throws -> some JSONWritable & Sendable
  ) async throws -> [UInt8] {
    let oldest = now.advanced(by: .seconds(-maximumAge))
    if maximumAge > 0, let known = shared.counted.answer(key, since: oldest) { return known }
    let answer = try await count()
    let json = try await shared.workers.requests.run { answer.json }
    shared.counted.keep(json, countedAt: now, as: key)
    return json
  }
}
