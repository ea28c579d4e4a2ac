internal import EventLoop

/// Work under a lease, with commands whose text is made for the occasion, such as the names of a
/// month's partitions.
public final class ExclusiveSession: @unchecked Sendable {
  /// The right to do the work.
  public let lease: DatabaseLease
  /// One connection apart from those of requests, so that no request waits behind long statements.
  public let database: PostgresClient
  private var session: Session?

  fileprivate init(_ lease: DatabaseLease, _ database: PostgresClient) {
    self.lease = lease
    self.database = database
  }

  /// Runs commands without parameters, all or nothing, while the lease is this instance's.
  /// - Returns: The rows as text.
  @discardableResult
  public func run(_ commands: String) async throws(PostgresError) -> [[String?]] {
    try await lease.confirm()
    return try await opened().run(commands)
  }

  private func opened() async throws(PostgresError) -> Session {
    if let session { return session }
    let session = Session(loop: database.loop)
    session.silenceNanoseconds = Limits.workAnswerNanoseconds
    try await session.open(database.address)
    self.session = session
    return session
  }

  fileprivate func close() {
    session?.close()
    database.close()
  }
}

extension PostgresClient {
  /// Runs `body` while no other instance has the lease.
  /// - Parameters:
  ///   - lease: Its name in the table.
  ///   - waits: Whether to wait for an instance that has it.
  ///   - answerNanoseconds: How long a statement of the work may take; `nil` is as long as tidying.
  /// - Returns: `nil` when another instance has it.
  public func exclusively<Result>(
    lease name: String, waits: Bool, answerNanoseconds: UInt64? = nil,
    _ body: (ExclusiveSession) async throws -> Result
  ) async throws -> Result? {
    var taken = try await DatabaseLease.take(name, by: self)
    while waits, taken == nil {
      await loop.sleep(nanoseconds: Limits.leaseBeatNanoseconds)
      taken = try await DatabaseLease.take(name, by: self)
    }
    guard let lease = taken else { return nil }
    lease.keep()
    let database = PostgresClient(
      address, connections: 1, loop: loop,
      answerNanoseconds: answerNanoseconds ?? Limits.workAnswerNanoseconds, refusal: refusal,
      observe: observe)
    database.start()
    let session = ExclusiveSession(lease, database)
    let result: Swift.Result<Result, any Error>
    do {
      result = .success(try await body(session))
    } catch {
      result = .failure(error)
    }
    session.close()
    await lease.end()
    return try result.get()
  }
}
