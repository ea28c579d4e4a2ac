internal import CLibpq

/// An open transaction: statements run in order on one connection.
///
/// Statements are added, then sent together in one round trip, so none of a batch can depend on
/// another's answer. The transaction begins with the first batch, in the same round trip.
public final class Transaction {
  private let connection: PipelineConnection
  /// When its call began; `nil` when it lasts as long as the connection.
  private let since: UInt64?
  private var batch: [Execution] = []
  private var behindCommit: [Execution] = []
  private var hasBegun = false
  private var failure: PostgresError?

  init(_ connection: PipelineConnection, since: UInt64?) {
    self.connection = connection
    self.since = since
  }

  /// A command of a batch, with its rows once the batch was sent.
  public struct Pending<Row: Sendable> {
    let execution: TypedExecution<Row>

    /// Its rows; empty before ``Transaction/send()`` has returned.
    public var rows: [Row] { execution.rows }

    /// Its rows, or `nil` when it failed or was not sent.
    public var result: [Row]? { execution.outcome?.isCompleted == true ? execution.rows : nil }
  }

  /// Adds a command to the next batch.
  @discardableResult
  public func add<Row>(_ command: some Command<Row>) -> Pending<Row> {
    if !hasBegun {
      hasBegun = true
      batch.append(TypedExecution(Begin()))
    }
    let execution = TypedExecution(command)
    batch.append(execution)
    return Pending(execution: execution)
  }

  /// Adds a command that goes out with the COMMIT and runs behind it, in a transaction of its
  /// own: it sees what others have committed by then. When it fails, the transaction is committed
  /// all the same.
  public func addBehindCommit<Row>(_ command: some Command<Row>) -> Pending<Row> {
    let execution = TypedExecution(command)
    behindCommit.append(execution)
    return Pending(execution: execution)
  }

  /// Sends the batch and waits for its answers.
  /// - Throws: The first failure; nothing of the transaction will be committed then.
  public func send() async throws(PostgresError) {
    try await send(followedBy: [])
  }

  private func send(followedBy others: [Execution]) async throws(PostgresError) {
    guard !batch.isEmpty else { return }
    let executions = batch
    batch = []
    guard connection.link.phase == .open else {
      throw fail(PostgresError(.disconnected, "the transaction's connection broke"))
    }
    await withUnsafeContinuation { continuation in
      connection.send(Segment(executions + others, since: since) { continuation.resume() })
      connection.flush()
    }
    for case .failed(let error) in executions.lazy.compactMap(\.outcome) { throw fail(error) }
  }

  /// Runs one command in a round trip of its own.
  public func run<Row>(_ command: some Command<Row>) async throws(PostgresError) -> [Row] {
    let pending = add(command)
    try await send()
    return pending.rows
  }

  private func fail(_ error: PostgresError) -> PostgresError {
    failure = failure ?? error
    return error
  }

  func commit() async throws(PostgresError) {
    // A commit after a failure would be answered as if it were well, and roll back.
    if let failure { throw failure }
    guard hasBegun else { return }
    batch.append(Commitment())
    try await send(followedBy: behindCommit)
    hasBegun = false
  }

  func rollback() async {
    guard hasBegun, connection.link.phase == .open else { return }
    batch = []
    do {
      _ = try await run(Rollback())
    } catch {
      // No other caller may get a connection that is still within this transaction.
      connection.lose(error)
    }
  }
}

private struct Begin: Statement { static let sql = "BEGIN" }
private struct Commit: Statement { static let sql = "COMMIT" }
private struct Rollback: Statement { static let sql = "ROLLBACK" }

/// The commit. A statement before it may have failed unseen, such as one that the connection sent
/// for itself. Then the server rolls back, and says so only in the tag of its answer.
private final class Commitment: Execution {
  init() { super.init(text: .prepared(Commit.self), parameters: Parameters()) }

  override func decodeRows(_ result: OpaquePointer) throws(PostgresError) {
    guard String(cString: PQcmdStatus(result)) == Commit.sql else {
      throw PostgresError(.server(sqlState: "25P02"), "the transaction was rolled back")
    }
  }
}
