internal import Synchronization

/// Work whose result all get who ask while it is under way: however many ask, one piece of work
/// waits for a thread. What never changes is kept, and so made once.
public final class SharedWork<Value: Sendable>: Sendable {
  private let isKept: Bool
  private let task = Mutex<Task<Value, any Error>?>(nil)

  /// Nothing is under way.
  /// - Parameter isKept: The result is the same whenever it is made.
  public init(isKept: Bool = false) { self.isKept = isKept }

  /// The result of `work`, or of the same work that another caller began.
  /// - Parameter loop: Where it is waited for.
  /// - Throws: What `work` throws; the next caller tries again.
  public func value(
    on workers: WorkerThreads, _ loop: EventLoop, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let task = task.withLock { task in
      if let task { return task }
      let begun = Task(executorPreference: loop) { [self] in
        do {
          let value = try await workers.run(isUnderWay: true, work)
          if !isKept { forget() }
          return value
        } catch {
          forget()
          throw error
        }
      }
      task = begun
      return begun
    }
    return try await task.value
  }

  private func forget() { task.withLock { $0 = nil } }
}
