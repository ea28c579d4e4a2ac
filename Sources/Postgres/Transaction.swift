/// An open transaction: statements run in order on one connection.
///
/// It begins with the first statement, in the same round trip.
public final class Transaction {
  private let connection: PipelineConnection
  private var hasBegun = false
  private var failure: PostgresError?

  init(_ connection: PipelineConnection) { self.connection = connection }

  /// Runs statements in order, in one round trip; none depends on another's answer.
  /// - Returns: Each statement's rows.
  /// - Throws: The first failure; nothing of the transaction will be committed then.
  public func run<each S: Statement>(
    _ statement: repeat each S
  ) async throws(PostgresError) -> (repeat [(each S).Row]) {
    let executions = (repeat TypedExecution(each statement))
    var list: [Execution] = []
    if !hasBegun { list.append(TypedExecution(Begin())) }
    hasBegun = true
    for execution in repeat each executions { list.append(execution) }
    try await send(list)
    return (repeat try (each executions).get())
  }

  private func send(_ list: [Execution]) async throws(PostgresError) {
    guard connection.link.phase == .open else {
      throw fail(PostgresError(.disconnected, "the transaction's connection broke"))
    }
    await withUnsafeContinuation { continuation in
      connection.send(Segment(list, isShared: false) { _ in continuation.resume() })
      connection.flush()
    }
    for case .failed(let error) in list.lazy.compactMap(\.outcome) { throw fail(error) }
  }

  private func fail(_ error: PostgresError) -> PostgresError {
    failure = failure ?? error
    return error
  }

  func commit() async throws(PostgresError) {
    // A commit after a failure would be answered as if it were well, and roll back.
    if let failure { throw failure }
    if hasBegun { try await send([TypedExecution(Commit())]) }
    hasBegun = false
  }

  func rollback() async {
    guard hasBegun, connection.link.phase == .open else { return }
    try? await send([TypedExecution(Rollback())])
  }
}

private struct Begin: Statement { static let sql = "BEGIN" }
private struct Commit: Statement { static let sql = "COMMIT" }
private struct Rollback: Statement { static let sql = "ROLLBACK" }
