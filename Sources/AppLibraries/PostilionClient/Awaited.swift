import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A value for one who waits for it. It may be there before anyone waits.
final class Awaited<Value: Sendable>: Sendable {
  private struct State {
    var waiter: CheckedContinuation<Value, Never>?
    var value: Value?
  }

  private let state = Guarded(State())

  /// The value is there; only the first counts.
  func end(with value: Value) {
    let waiter = state.withLock { state in
      defer { state.waiter = nil }
      state.value = state.value ?? value
      return state.waiter
    }
    waiter?.resume(returning: value)
  }

  /// Waits for the value.
  /// - Parameter begin: Begins what the value comes of; not called if it is there already.
  func value(begin: () -> Void = {}) async -> Value {
    await withCheckedContinuation { continuation in
      let value = state.withLock { state in
        if state.value == nil { state.waiter = continuation }
        return state.value
      }
      if let value { continuation.resume(returning: value) } else { begin() }
    }
  }

  /// Runs a task of a session, whose delegate tells the result. It ends with the task of the
  /// caller, which may be cancelled before anyone waits.
  func result<Success>(of task: URLSessionTask) async throws -> Success
  where Value == Result<Success, any Error> {
    try await withTaskCancellationHandler {
      try await value { task.resume() }.get()
    } onCancel: {
      task.cancel()
    }
  }
}
