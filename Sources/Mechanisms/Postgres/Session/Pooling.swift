public import EventLoop

/// Makes sure that sessions of a database have a server process for themselves.
/// - Parameter nanoseconds: How long each of its steps may take.
/// - Throws: ``PostgresError`` with the code `misuse`, and the sentence for the operator; what
///   connecting throws.
public func requireSessionsOfTheirOwn(
  _ address: DatabaseAddress, loop: EventLoop, within nanoseconds: UInt64
) async throws(PostgresError) {
  let session = Session(loop: loop)
  session.silenceNanoseconds = nanoseconds
  defer { session.close() }
  try await session.open(address)
  try await session.requireProcessOfItsOwn(address, loop: loop)
}

extension Session {
  /// Makes sure that a session has its server process for itself until its end.
  ///
  /// A pooler in transaction mode gives the process to other clients between two transactions:
  /// prepared statements, `LISTEN` and locks of a session would be those of anyone. The number of
  /// the process shows whether there is a pooler: a pooler does not tell it. A second session shows
  /// whether the pooler shares: then it gets the same process in its turn. Other clients of the
  /// pooler may hide that, so we try several times.
  /// - Throws: ``PostgresError`` with the code `misuse`, and the sentence for the operator.
  func requireProcessOfItsOwn(_ address: DatabaseAddress, loop: EventLoop)
    async throws(PostgresError)
  {
    let own = try await process()
    guard own.number != announcedProcess else { return }
    let other = Session(loop: loop)
    other.silenceNanoseconds = silenceNanoseconds
    defer { other.close() }
    try await other.open(address)
    for _ in 0..<5 {
      let others = try await other.process()
      guard others != own, try await process() == own else {
        throw PostgresError(
          .misuse,
          "the pooler in front of the database shares sessions between clients; set its pool mode "
            + "to session, or name the database itself")
      }
    }
  }

  /// The process that answers, and since when its server runs: two servers have the same numbers.
  private func process() async throws(PostgresError) -> (number: Int32?, since: String?) {
    let row = try await run("SELECT pg_backend_pid(), pg_postmaster_start_time()").first ?? []
    return (row.first.flatMap { $0 }.flatMap { Int32($0) }, row.last.flatMap { $0 })
  }
}
