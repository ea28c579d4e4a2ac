internal import Synchronization

/// Work that many ask for and that is done once at a time: all who ask before it begins share it.
/// Who asks while it is under way shares the next piece, so no result is older than its question.
///
///     A asks          work for A is about to begin
///     B asks          it is for A and B now, and begins
///     C and D ask     they wait
///     it ends         A and B have the result; work for C and D begins
public final class SharedWork<Input: Sendable, Value: Sendable>: Sendable {
  private struct State {
    var underWay: Task<Value, any Error>?
    /// The work that begins next, and what its callers brought along.
    var next: (work: Task<Value, any Error>, inputs: [Input])?
  }
  private let state = Mutex(State())

  /// Nothing is under way.
  public init() {}

  /// The result of the work that begins next.
  /// - Parameters:
  ///   - input: What the caller brings along.
  ///   - work: Does the work for all who ask, given what they brought along. It is the first
  ///     caller's: it runs on this loop, within the time of the caller's call.
  /// - Returns: The result, and whether it was made by the caller's own `work`.
  public func value(
    _ input: Input, on loop: EventLoop,
    _ work: @escaping @Sendable ([Input]) async throws -> Value
  ) async throws -> (value: Value, isOwn: Bool) {
    let (task, isOwn) = state.withLock { state in
      if let task = state.next?.work {
        state.next?.inputs.append(input)
        return (task, false)
      }
      let earlier = state.underWay
      let task = Task(executorPreference: loop) { [self] in
        _ = await earlier?.result
        let inputs = self.state.withLock { state in
          state.underWay = state.next?.work
          return state.next.take()?.inputs
        }
        defer { self.state.withLock { $0.underWay = nil } }
        return try await work(inputs ?? [])
      }
      state.next = (task, [input])
      return (task, true)
    }
    return (try await task.value, isOwn)
  }
}

extension SharedWork where Input == Void {
  /// The result of the work that begins next.
  public func value(
    on loop: EventLoop, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await value((), on: loop) { _ in try await work() }.value
  }
}
