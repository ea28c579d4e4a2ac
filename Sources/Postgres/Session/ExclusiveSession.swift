internal import EventLoop

/// A session that alone has an advisory lock of the database: for work that instances must not do
/// twice at the same time, with commands whose text is made for the occasion, such as the names of
/// a month's partitions.
public struct ExclusiveSession {
  fileprivate let session: Session
  /// One connection apart from those of requests, so that none of them waits behind long
  /// statements.
  public let database: PostgresClient

  /// Runs commands without parameters, all or nothing.
  /// - Returns: The rows as text.
  @discardableResult
  public func run(_ commands: String) async throws(PostgresError) -> [[String?]] {
    try await session.run(commands)
  }
}

extension PostgresClient {
  /// Runs `body` while no other session has the lock.
  /// - Parameter waits: Whether to wait for whoever has it.
  /// - Returns: `nil` when another session has it.
  public func exclusively<Result>(
    lock: Int64, waits: Bool, _ body: (ExclusiveSession) async throws -> Result
  ) async throws -> Result? {
    let session = Session(loop: loop)
    try await session.open(address)
    defer { session.close() }
    while try await session.run("SELECT pg_try_advisory_lock(\(lock))") != [["t"]] {
      guard waits else { return nil }
      await loop.sleep(nanoseconds: Limits.turnNanoseconds)
    }
    let database = PostgresClient(
      address, connections: 1, loop: loop, answerNanoseconds: Limits.workAnswerNanoseconds,
      observe: observe)
    database.start()
    defer { database.close() }
    let result: Swift.Result<Result, any Error>
    do {
      result = .success(try await body(ExclusiveSession(session: session, database: database)))
    } catch {
      result = .failure(error)
    }
    // The server hears of a closed session some time later; whoever comes next should not wait.
    _ = try? await session.run("SELECT pg_advisory_unlock(\(lock))")
    return try result.get()
  }
}
