/// The streams of a router, one for each consumer.
final class PayloadStreams: Sendable {
  private struct State {
    var made = 0
    var open: [Int: AsyncStream<RemotePayload>.Continuation] = [:]
  }

  private let state = Guarded(State())

  /// Opens a stream; it is closed when its consumer is gone.
  func stream() -> AsyncStream<RemotePayload> {
    AsyncStream(bufferingPolicy: .bufferingNewest(ReceivingLimits.streamedPayloads)) { stream in
      let number = state.withLock { state in
        state.made += 1
        state.open[state.made] = stream
        return state.made
      }
      stream.onTermination = { [weak self] _ in
        _ = self?.state.withLock { $0.open.removeValue(forKey: number) }
      }
    }
  }

  /// Puts a payload into every stream.
  func yield(_ payload: RemotePayload) {
    for stream in state.withLock({ Array($0.open.values) }) { stream.yield(payload) }
  }

  /// Closes all streams.
  func finish() {
    let streams = state.withLock { state in
      defer { state.open = [:] }
      return Array(state.open.values)
    }
    for stream in streams { stream.finish() }
  }

  /// How many streams are open.
  var openCount: Int { state.withLock { $0.open.count } }
}
