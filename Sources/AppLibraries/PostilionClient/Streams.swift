/// The streams of one source, one for each reader.
final class Streams<Element: Sendable>: Sendable {
  private struct State {
    var made = 0
    var open: [Int: AsyncStream<Element>.Continuation] = [:]
    /// What a new reader begins with.
    var first: [Element] = []
  }

  /// What is kept for new readers.
  enum Memory {
    case nothing
    /// What comes while nobody reads, the newest of it, for the next reader.
    case unread
    /// The newest element, at first this one.
    case last(Element)
  }

  private let kept: Int
  private let memory: Memory
  private let state = Guarded(State())

  /// - Parameters:
  ///   - kept: Elements that are kept for a reader that is late, the newest.
  ///   - memory: What is kept for new readers, at most as many.
  init(kept: Int, memory: Memory = .nothing) {
    self.kept = kept
    self.memory = memory
    if case .last(let element) = memory { state.withLock { $0.first = [element] } }
  }

  // Outside of the lock, as the end of a stream may take it.
  deinit { for stream in state.withLock({ $0.open.values }) { stream.finish() } }

  /// Opens a stream; it is closed when its reader is gone, or this is.
  func stream() -> AsyncStream<Element> {
    AsyncStream(bufferingPolicy: .bufferingNewest(kept)) { stream in
      let number = state.withLock { state in
        state.made += 1
        state.open[state.made] = stream
        for element in state.first { stream.yield(element) }
        if case .unread = memory { state.first = [] }
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
      switch memory {
      case .nothing: break
      case .unread where !state.open.isEmpty: break
      case .unread: state.first = (state.first + [element]).suffix(kept)
      case .last: state.first = [element]
      }
      return Array(state.open.values)
    }
    for stream in streams { stream.yield(element) }
  }
}
