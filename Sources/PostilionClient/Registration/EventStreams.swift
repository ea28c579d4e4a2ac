/// The streams of events, one for each reader.
final class EventStreams: Sendable {
  /// Events that are kept for a reader that is late, and for the next one while there is none.
  static let kept = 100

  private struct State {
    var made = 0
    var open: [Int: AsyncStream<PostilionEvent>.Continuation] = [:]
    /// What happened while nobody read.
    var unread: [PostilionEvent] = []
  }

  private let state = Guarded(State())

  /// Opens a stream, which begins with what nobody has read; it is closed when its reader is gone.
  func stream() -> AsyncStream<PostilionEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(Self.kept)) { stream in
      let number = state.withLock { state in
        state.made += 1
        state.open[state.made] = stream
        for event in state.unread { stream.yield(event) }
        state.unread = []
        return state.made
      }
      stream.onTermination = { [weak self] _ in
        _ = self?.state.withLock { $0.open.removeValue(forKey: number) }
      }
    }
  }

  /// Puts an event into every stream, or keeps it while there is none.
  func yield(_ event: PostilionEvent) {
    let streams = state.withLock { state in
      if state.open.isEmpty { state.unread = (state.unread + [event]).suffix(Self.kept) }
      return Array(state.open.values)
    }
    for stream in streams { stream.yield(event) }
  }
}
