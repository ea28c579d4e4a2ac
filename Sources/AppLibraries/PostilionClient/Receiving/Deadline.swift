import Foundation

/// The end of the time that the system gives for a piece of work. Several steps of the work may
/// share one.
///
/// ```swift
/// let deadline = Deadline(in: 20, sleep: Deadline.sleep)
/// let pictures = await deadline.results(of: downloads)   // those that were there in time
/// deadline.cancel()
/// ```
struct Deadline: Sendable {
  /// Waits so many seconds; throws if its task is cancelled.
  typealias Sleep = @Sendable (TimeInterval) async throws -> Void

  /// Waits by the clock of the system.
  static let sleep: Sleep = { seconds in
    try await Task.sleep(seconds: seconds)
  }

  /// A time in nanoseconds, a year at most. What is no number is no time.
  static func nanoseconds(_ seconds: TimeInterval) -> UInt64 {
    seconds > 0 ? UInt64(min(seconds, ReceivingLimits.sleepSeconds) * 1_000_000_000) : 0
  }

  private let alarm: Task<Bool, Never>

  /// A deadline so many seconds from now.
  init(in seconds: TimeInterval, sleep: @escaping Sleep) {
    alarm = Task { (try? await sleep(seconds)) != nil }
  }

  /// Forgets the deadline, once the work is done.
  func cancel() { alarm.cancel() }

  /// Runs pieces of work at the same time, and waits for all of them, but not beyond the deadline.
  ///
  /// What is not done by then is cancelled, and not waited for: work that does not heed its
  /// cancellation goes on alone. If the caller is cancelled, so is the work.
  ///
  /// - Parameters:
  ///   - work: the pieces.
  ///   - late: gets each result that came after the deadline.
  /// - Returns: the results in the order of the pieces; `nil` for one that was not done in time.
  func results<Result: Sendable>(
    of work: [@Sendable () async -> Result],
    late: @escaping @Sendable (Result) -> Void = { _ in }
  ) async -> [Result?] {
    guard !work.isEmpty else { return [] }
    let gathering = Gathering<Result>(work.count)
    let tasks = work.enumerated().map { index, piece in
      Task {
        let result = await piece()
        if !gathering.put(result, at: index) { late(result) }
      }
    }
    let end = Task { [alarm] in
      if await alarm.value { gathering.end() }
    }
    defer {
      end.cancel()
      for task in tasks { task.cancel() }
    }
    return await withTaskCancellationHandler {
      await gathering.results()
    } onCancel: {
      for task in tasks { task.cancel() }
    }
  }
}

extension Task where Success == Never, Failure == Never {
  /// Waits so many seconds, a year at most; throws if the task is cancelled.
  @usableFromInline
  static func sleep(seconds: TimeInterval) async throws {
    try await sleep(nanoseconds: Deadline.nanoseconds(seconds))
  }
}

/// The results that came before the deadline.
final class Gathering<Result: Sendable>: Sendable {
  private struct State {
    var results: [Result?]
    var missing: Int
    var isOver = false
  }

  private let state: Guarded<State>
  private let outcome = Awaited<[Result?]>()

  /// A gathering of so many results.
  init(_ count: Int) {
    state = Guarded(State(results: Array(repeating: nil, count: count), missing: count))
  }

  /// Puts a result into its place; `false` if it came too late.
  func put(_ result: Result, at index: Int) -> Bool {
    let isInTime = state.withLock { state in
      guard !state.isOver else { return false }
      state.results[index] = result
      state.missing -= 1
      return true
    }
    if state.withLock({ $0.missing == 0 }) { end() }
    return isInTime
  }

  /// All results are there, or the deadline came.
  func end() {
    outcome.end(
      with: state.withLock { state in
        state.isOver = true
        return state.results
      })
  }

  /// Waits for the end.
  func results() async -> [Result?] { await outcome.value() }
}
