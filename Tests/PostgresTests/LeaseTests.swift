import EventLoop
import Synchronization
import Testing

@testable import Postgres

/// One of all instances at a time, also when one of them stands still.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LeaseTests {
  /// Sets or reads the leases of the tests, as nothing of the service does.
  private static func prepare(_ name: String) throws {
    try ScratchServer.execute(
      """
      CREATE TABLE IF NOT EXISTS lease (
        name text PRIMARY KEY, number bigint NOT NULL DEFAULT 0,
        until timestamptz NOT NULL DEFAULT '-infinity')
      """)
    try ScratchServer.execute("INSERT INTO lease (name) VALUES ('\(name)')")
  }

  /// What only the holder may do.
  private struct CountIfHeld: Statement {
    static let sql = """
      SELECT 1 WHERE \(DatabaseLease.isHeld("lease of a frozen one", number: "$1"))
      """
    let number: Int64
    func bind(to parameters: inout Parameters) { parameters.append(number) }
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32 { try row.next() }
  }

  @Test func aLeaseIsOneInstancesUntilItIsGivenUp() async throws {
    try Self.prepare("lease in turn")
    try await withClient { client, _ in
      var numbers: [Int64] = []
      for _ in 1...2 {
        let nested = try await client.exclusively(lease: "lease in turn", waits: false) { session in
          numbers.append(session.lease.number)
          return try await client.exclusively(lease: "lease in turn", waits: false) { _ in true }
        }
        #expect(nested == .some(.none))
      }
      #expect(numbers == [1, 2])
    }
  }

  /// The clock of the database went back while nobody had it, or its holder was killed.
  @Test func aLeaseThatEndsLaterThanOneLastsIsNone() async throws {
    try Self.prepare("lease of the future")
    try ScratchServer.execute(
      """
      UPDATE lease SET until = clock_timestamp() + interval '120 s'
      WHERE name = 'lease of the future'
      """)
    try await withClient { client, _ in
      let done = try await client.exclusively(lease: "lease of the future", waits: false) { _ in
        true
      }
      #expect(done == true)
    }
  }

  @Test func aLeaseThatIsExtendedStaysWithItsHolder() async throws {
    try Self.prepare("lease that is kept")
    try await withClient { client, _ in
      _ = try await client.exclusively(lease: "lease that is kept", waits: false) { session in
        let until = try await session.run(
          "SELECT until FROM lease WHERE name = 'lease that is kept'")
        while try await session.run("SELECT until FROM lease WHERE name = 'lease that is kept'")
          == until
        {
          await client.loop.sleep(nanoseconds: 20_000_000)
        }
        try await session.lease.confirm()
      }
    }
  }

  /// Whatever its client lends, and from one statement to the next; reading goes on.
  @Test func whoMustWriteNothingWritesNothing() async throws {
    try Self.prepare("lease of one that must not write")
    try ScratchServer.execute("CREATE TABLE refused_write (number integer)")
    let refusal = PostgresError(.outdated, "not now")
    let mustNot = Atomic(false)
    try await withLoop { loop in
      let client = PostgresClient(
        try ScratchServer.address, connections: 1, loop: loop,
        refusal: { mustNot.load(ordering: .relaxed) ? refusal : nil })
      client.start()
      defer { client.close() }
      func refuses(_ write: () async throws -> Void) async {
        mustNot.store(true, ordering: .relaxed)
        await #expect(throws: refusal) { try await write() }
        mustNot.store(false, ordering: .relaxed)
      }
      _ = try await client.exclusively(lease: "lease of one that must not write", waits: false) {
        session in
        await refuses { _ = try await session.lease.confirm() }
        await refuses { try await session.run(InsertRefused.sql) }
        await refuses { _ = try await session.database.write(InsertRefused()) }
      }
      await refuses {
        _ = try await client.exclusively(lease: "lease of one that must not write", waits: false) {
          _ in
        }
      }
      await refuses { _ = try await client.transaction { try await $0.run(InsertRefused()) } }
      await refuses { _ = try await client.write(InsertRefused()) }
      mustNot.store(true, ordering: .relaxed)
      #expect(try await client.read(CountRefused()) == [0])
      #expect(try await client.readAlone(CountRefused()) == [0])
    }
  }

  private struct InsertRefused: Statement {
    static let sql = "INSERT INTO refused_write VALUES (1)"
  }
  private struct CountRefused: Statement {
    static let sql = "SELECT count(*) FROM refused_write"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.next() }
  }

  /// It has not extended the lease, as one that stood still, and another has taken it.
  @Test func whoHasLostTheLeaseNoticesAndWritesNothing() async throws {
    try Self.prepare("lease of a frozen one")
    try await withClient { client, _ in
      let error = try await #require(throws: PostgresError.self) {
        _ = try await client.exclusively(lease: "lease of a frozen one", waits: false) { former in
          let number = former.lease.number
          let counts = try await client.write(CountIfHeld(number: number))
          #expect(counts == [1])
          var isTaken = false
          while !isTaken {
            try await former.run(
              "UPDATE lease SET until = clock_timestamp() WHERE name = 'lease of a frozen one'")
            _ = try await client.exclusively(lease: "lease of a frozen one", waits: false) { next in
              isTaken = true
              #expect(next.lease.number == number + 1)
              let formers = try await client.write(CountIfHeld(number: number))
              let successors = try await client.write(CountIfHeld(number: number + 1))
              #expect(formers == [] && successors == [1])
            }
          }
          while true {
            try await former.lease.confirm()
            await client.loop.sleep(nanoseconds: 20_000_000)
          }
        }
      }
      #expect(error.message == "another instance has taken the lease of lease of a frozen one")
    }
  }
}
