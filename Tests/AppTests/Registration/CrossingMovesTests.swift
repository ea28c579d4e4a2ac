import AppTesting
import Testing

/// Installations that keep taking each other's tokens, through both loops of two instances: their
/// rounds lock the same rows at once, and must do so in one order.
@Suite struct CrossingMovesTests {
  private static let pairs = 4
  private static let turns = 250

  @Test func roundsDoNotWaitForEachOtherInACircle() async throws {
    let first = try await TestService.start(loops: 2)
    let app = try await first.app()
    // In a table of a few pages PostgreSQL may go through all rows, and not through the keys.
    try await first.database.seedInstallations(10_000)
    try await first.database.query("SELECT clean_filter_index()")
    let second = try await TestService.start(database: first.database, loops: 2)
    let tokens = (0..<Self.pairs).map { _ in [Sample.token(), Sample.token()] }
    let statuses = try await withThrowingTaskGroup { group in
      for member in 0..<Self.pairs * 2 {
        let (id, tokens) = (Sample.id(), tokens[member / 2])
        let port = member.isMultiple(of: 2) ? first.port : second.port
        group.addTask {
          try await blocking {
            let wire = try Wire(port: port)
            return try (0..<Self.turns).map { turn in
              // Each gives up the token that its neighbour takes at the same time.
              try wire.put(app.installation(id), Sample.report(tokens[(turn + member) % 2]), app)
            }
          }
        }
      }
      return try await group.reduce(into: [Int: Int]()) { counts, statuses in
        for status in statuses { counts[status, default: 0] += 1 }
      }
    }
    await first.stop()
    await second.stop()
    // One that is outrun again and again is told so.
    #expect(Set(statuses.keys).isSubset(of: [200, 201, 409]))
    #expect(statuses.values.reduce(0, +) == Self.pairs * 2 * Self.turns)
    #expect(try await TokenReplay(first.database).contradictions == [])
    #expect(try await first.database.deadlocks() == 0)
  }
}

extension Wire {
  /// Reports for an installation with the backend's key, on the open connection.
  /// - Returns: The status.
  fileprivate func put(_ path: String, _ report: JSON, _ app: TestApp) throws -> Int {
    let body = Array(report.text.utf8)
    let head =
      "PUT \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      + "Authorization: Bearer \(app.keys["sender"] ?? "")\r\nContent-Length: \(body.count)\r\n\r\n"
    try send(Array(head.utf8) + body)
    return try receive().status
  }
}

extension ScratchDatabase {
  /// The deadlocks that the server had to break, once all connections but this one are closed:
  /// until then they keep their counts to themselves.
  func deadlocks() async throws -> Int? {
    try await value("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
      .flatMap { Int($0) }
  }
}
