import EventLoop
import Testing

@testable import Postgres

/// Transactions: all or nothing, and a connection that is fit for use after each.
@Suite(.timeLimit(.minutes(10)), .serialized) struct TransactionTests {
  private struct Insert: Statement {
    static let sql = "INSERT INTO account (id) VALUES ($1)"
    let id: Int32
    func bind(to parameters: inout Parameters) { parameters.append(id) }
  }
  private struct Accounts: Statement {
    static let sql = "SELECT id FROM account ORDER BY id"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32 { try row.next() }
  }
  /// Long enough that a pipeline of them is never empty.
  private struct Nap: Statement {
    static let sql = "SELECT pg_sleep(0.001)::text"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }
  private struct Refused: Error {}

  private func withAccounts(
    connections: Int = 1, _ body: @Sendable @escaping (PostgresClient) async throws -> Void
  ) async throws {
    try ScratchServer.execute(
      "DROP TABLE IF EXISTS account; CREATE TABLE account (id int PRIMARY KEY)")
    try await withClient(connections: connections) { client, _ in try await body(client) }
  }

  @Test func whatIsAddedIsSentTogetherAndCommitted() async throws {
    try await withAccounts { client in
      let rows = try await client.transaction { transaction in
        transaction.add(Insert(id: 1))
        transaction.add(Insert(id: 2))
        let accounts = transaction.add(Accounts())
        #expect(accounts.rows.isEmpty)
        try await transaction.send()
        return accounts.rows
      }
      #expect(rows == [1, 2])
      try await #expect(client.read(Accounts()) == [1, 2])
    }
  }

  @Test func whatWasAddedLastIsSentWithTheCommit() async throws {
    try await withAccounts { client in
      try await client.transaction { _ = $0.add(Insert(id: 1)) }
      try await #expect(client.read(Accounts()) == [1])
    }
  }

  @Test func aThrowRollsBack() async throws {
    try await withAccounts { client in
      await #expect(throws: Refused.self) {
        try await client.transaction { transaction in
          _ = try await transaction.run(Insert(id: 1))
          throw Refused()
        }
      }
      try await #expect(client.read(Accounts()) == [])
    }
  }

  @Test func aThrowBeforeAnythingIsSentLeavesNothing() async throws {
    try await withAccounts { client in
      await #expect(throws: Refused.self) {
        try await client.transaction { transaction in
          transaction.add(Insert(id: 1))
          throw Refused()
        }
      }
      try await #expect(client.read(Accounts()) == [])
    }
  }

  @Test func aFailureInABatchRollsBackAll() async throws {
    try await withAccounts { client in
      let error = await #expect(throws: PostgresError.self) {
        try await client.transaction { transaction in
          transaction.add(Insert(id: 1))
          transaction.add(Insert(id: 1))
          transaction.add(Insert(id: 2))
          try await transaction.send()
        }
      }
      #expect(error?.sqlState == "23505")
      try await #expect(client.read(Accounts()) == [])
    }
  }

  @Test func afterAFailureThatWasSwallowedTheCommitIsRefused() async throws {
    try await withAccounts { client in
      let error = await #expect(throws: PostgresError.self) {
        try await client.transaction { transaction in
          _ = try await transaction.run(Insert(id: 1))
          _ = try? await transaction.run(Division(divisor: 0))
        }
      }
      #expect(error?.sqlState == "22012")
      try await #expect(client.read(Accounts()) == [])
    }
  }

  /// What the connection sends for itself may fail, too.
  @Test func aCommitThatTheServerMakesARollbackIsAFailure() async throws {
    try await withAccounts { client in
      let connection = PipelineConnection(loop: client.loop, client.times)
      try await connection.open(try ScratchServer.address)
      let transaction = Transaction(connection, since: nil)
      _ = try await transaction.run(Insert(id: 1))
      connection.send(Segment([TypedExecution(Division(divisor: 0))]) {})
      let error = await #expect(throws: PostgresError.self) { try await transaction.commit() }
      #expect(error?.sqlState == "25P02")
      await transaction.rollback()
      connection.lose(PostgresError(.disconnected, "the test is over"))
      try await #expect(client.read(Accounts()) == [])
    }
  }

  @Test func anEmptyOneSendsNothing() async throws {
    try await withAccounts { client in
      try await #expect(client.transaction { _ in 7 } == 7)
    }
  }

  @Test func itsConnectionMayBreak() async throws {
    try await withAccounts { client in
      let error = await #expect(throws: PostgresError.self) {
        try await client.transaction { transaction in
          _ = try await transaction.run(Insert(id: 1))
          let process = try await transaction.run(BackendProcess())
          _ = try await transaction.run(Terminate(process: process[0]))
          _ = try await transaction.run(Insert(id: 2))
        }
      }
      #expect(error?.code == .disconnected)
      try await #expect(client.read(Accounts()) == [])
    }
  }

  /// Who starves is refused after five seconds. Of one connection, neither statements nor
  /// transactions take all.
  @Test(arguments: [1, 2])
  func statementsAndTransactionsStarveNeither(connections: Int) async throws {
    try await withAccounts(connections: connections) { client in
      let readers = (0..<12).map { _ in
        client.loop.execute {
          while !Task.isCancelled { _ = try? await client.write(Nap()) }
        }
      }
      let writers = (0..<3).map { _ in
        client.loop.execute {
          while !Task.isCancelled {
            try? await client.transaction { _ = try await $0.run(Echo(value: Int32(2))) }
          }
        }
      }
      for _ in 0..<10 {
        try await #expect(client.read(Echo(value: Int32(3))) == [3])
        try await #expect(client.transaction { try await $0.run(Echo(value: Int32(4))) } == [4])
      }
      for task in readers + writers { task.cancel() }
      for task in readers + writers { await task.value }
    }
  }
}
