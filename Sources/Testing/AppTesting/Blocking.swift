internal import Foundation

/// Runs code that blocks on a thread of its own: the pool that runs tasks has as many threads as
/// the machine has cores, and the service under test needs it too.
public func blocking<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(with: Swift.Result { try body() })
    }
  }
}
