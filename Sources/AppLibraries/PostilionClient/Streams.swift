/// The streams of one source, one for each reader.
final class Streams<Element: Sendable>: Sendable {
  private struct State {
    var made = 0
    var open: [Int: AsyncStream<Element>.Continuation] = [:]
    /// What came while nobody read.
    var unread: [Element] = []
  }

  private let kept: Int
  private let keepsUnread: Bool
  private let state = Guarded(State())

  /// - Parameters:
  ///   - kept: Elements that are kept for a reader that is late, the newest.
  ///   - keepsUnread: Whether as many are also kept for the next reader while there is none.
  init(kept: Int, keepsUnread: Bool = false) {
    self.kept = kept
    self.keepsUnread = keepsUnread
  }

  /// Opens a stream; it is closed when its reader is gone.
  func stream() -> AsyncStream<Element> {
    AsyncStream(bufferingPolicy: .bufferingNewest(kept)) { stream in
      let number = state.withLock { state in
        state.made += 1
        state.open[state.made] = stream
        for element in state.unread { stream.yield(element) }
        state.unread = []
        return state.made
      }
      stream.onTermination = { [weak self] _ in
        _ = self?.state.withLock { $0.open.removeValue(forKey: number) }
      }
    }
  }

  /// Puts an element into every stream.
  func yield(_ element: Element) {
    let streams = state.withLock { state in
      if keepsUnread, state.open.isEmpty {
        state.unread = (state.unread + [element]).suffix(kept)
      }
      return Array(state.open.values)
    }
    for stream in streams { stream.yield(element) }
  }

  /// Closes all streams.
  func finish() {
    let streams = state.withLock { state in
      defer { state.open = [:] }
      return Array(state.open.values)
    }
    for stream in streams { stream.finish() }
  }
}
