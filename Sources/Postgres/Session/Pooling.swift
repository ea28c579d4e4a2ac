public import EventLoop

/// Makes sure that sessions of a database have a server process for themselves.
/// - Throws: ``PostgresError`` with the code `misuse`, and the sentence for the operator; what
///   connecting throws.
public func requireSessionsOfTheirOwn(
  _ conninfo: String, loop: EventLoop
) async throws(PostgresError) {
  let session = Session(loop: loop)
  defer { session.close() }
  try await session.open(conninfo, within: Limits.connectEachNanoseconds)
  try await session.requireProcessOfItsOwn(conninfo, loop: loop)
}

extension Session {
  /// Makes sure that a session has its server process for itself until its end.
  ///
  /// A pooler in transaction mode gives the process to other clients between two transactions:
  /// prepared statements, `LISTEN` and locks of a session would be those of anyone. Whether there
  /// is a pooler is seen by the number of the process, which it does not tell. Whether it shares is
  /// seen by a second session, which then gets the same process in its turn. Other clients of the
  /// pooler may hide it, so it is tried several times.
  /// - Throws: ``PostgresError`` with the code `misuse`, and the sentence for the operator.
  func requireProcessOfItsOwn(_ conninfo: String, loop: EventLoop) async throws(PostgresError) {
    let own = try await process()
    guard own != announcedProcess else { return }
    let other = Session(loop: loop)
    defer { other.close() }
    try await other.open(conninfo)
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

  /// The number of the process that answers.
  private func process() async throws(PostgresError) -> Int32? {
    try await run("SELECT pg_backend_pid()").first?.first.flatMap { $0 }.flatMap { Int32($0) }
  }
}
