import EventLoop
import Foundation
import Glibc
import Testing

@testable import Postgres

/// Connections that break, servers that go and come back.
@Suite(.timeLimit(.minutes(10))) struct OutageTests {
  /// Waits while another session holds the lock.
  private struct SlowRead: Statement {
    static let sql = "SELECT 'slow read', pg_advisory_xact_lock_shared(7)::text"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }
  private struct SlowWrite: Statement {
    static let sql = "SELECT 'slow write', pg_sleep(60)::text"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }

  /// Three quarters of the time that a call may take here.
  private struct Nap: Statement {
    static let sql = "SELECT pg_sleep(3)::text"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }

  @Test func readsAreSentAgainWhenTheirConnectionBreaks() async throws {
    try await withClient(connections: 1) { client, events in
      try await withClient { other, _ in
        let holder = Session(loop: other.loop)
        try await holder.open(ScratchServer.address)
        try await holder.run("SELECT pg_advisory_lock(7)")
        let reading = Task(executorPreference: client.loop) {
          try await client.read(SlowRead())
        }
        let process = try await Backends.wait(for: "slow read", waiting: "advisory", other)
        try await #expect(other.write(Terminate(process: process)) == [true])
        holder.close()
        try await #expect(reading.value == ["slow read"])
      }
      await events.wait(for: "connected", count: 2)
      #expect(events.count("disconnected") == 1)
    }
  }

  @Test func aWritesOutcomeIsUnknownWhenItsConnectionBreaks() async throws {
    try await withClient(connections: 1) { client, _ in
      try await withClient { other, _ in
        let writing = Task(executorPreference: client.loop) {
          try await client.write(SlowWrite())
        }
        let process = try await Backends.wait(for: "slow write", waiting: "PgSleep", other)
        try await #expect(other.write(Terminate(process: process)) == [true])
        let error = await #expect(throws: PostgresError.self) { try await writing.value }
        #expect(error?.code == .disconnected)
        #expect(error?.isSafeToRetry == false)
      }
    }
  }

  @Test func aServerThatRestartsIsFoundAgain() async throws {
    let root = "/tmp/postilion tests/\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: root) }
    let server = ScratchServer.make("\(root)/data")
    defer { server.stop() }
    try await withClient(DatabaseAddress(try server.start())) { client, events in
      #expect(client.isConnected)
      await Task.detached { server.stop() }.value
      await events.wait(for: "connect failed", count: 4)
      #expect(!client.isConnected)
      // What is asked meanwhile waits for the server.
      let waiting = Task(executorPreference: client.loop) {
        try await client.write(Echo(value: "patient"))
      }
      _ = try await Task.detached { try server.start() }.value
      try await #expect(waiting.value == ["patient"])
      #expect(client.isConnected)
    }
  }

  /// Waits for the connection, then for the answer: not twice the time that a call may take.
  @Test func aCallThatWaitedForItsConnectionHasLessTimeForItsAnswer() async throws {
    try await withClient(connections: 1) { client, events in
      // Less than two naps of three seconds, and more than one by what a busy machine may take.
      client.answerNanoseconds = 4_600_000_000
      let late = try await client.transaction { transaction in
        let late = Task(executorPreference: client.loop) { try await client.write(Nap()) }
        _ = try await transaction.run(Nap())
        return late
      }
      let error = await #expect(throws: PostgresError.self) { try await late.value }
      #expect(error?.code == .disconnected)
      client.answerNanoseconds = 120_000_000_000
      // Nobody else has lost the connection.
      try await #expect(client.write(Echo(value: "next")) == ["next"])
      #expect(events.count("disconnected") == 0)
    }
  }

  private struct CountRows: Statement {
    static let sql = "SELECT count(*) FROM held"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.next() }
  }
  private struct WaitInBetween: Statement {
    static let sql = "SELECT 'in between', pg_advisory_xact_lock_shared(8)::text"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }
  private struct Cancel: Statement {
    static let sql = "SELECT pg_cancel_backend($1)"
    let process: Int32
    func bind(to parameters: inout Parameters) { parameters.append(process) }
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.next() }
  }

  /// A table is locked while a statement on it is prepared. Each call that rests on that
  /// preparation is told why it failed, also when a later call has prepared the statement anew.
  @Test func aPreparationThatFailsIsTheCauseForAllThatRestOnIt() async throws {
    try await withClient(connections: 1) { client, _ in
      try await withClient { other, _ in
        let (table, between) = (Session(loop: other.loop), Session(loop: other.loop))
        for session in [table, between] { try await session.open(ScratchServer.address) }
        try await table.run("CREATE TABLE held ()")
        try await table.run("BEGIN; LOCK TABLE held")
        try await between.run("SELECT pg_advisory_lock(8)")
        let first = Task(executorPreference: client.loop) { try await client.write(CountRows()) }
        let middle = Task(executorPreference: client.loop) {
          try await client.write(WaitInBetween())
        }
        let second = Task(executorPreference: client.loop) { try await client.write(CountRows()) }
        let process = try await Backends.wait(for: "FROM held", waiting: "relation", other)
        try await #expect(other.write(Cancel(process: process)) == [true])
        let cause = await #expect(throws: PostgresError.self) { try await first.value }
        #expect(cause?.sqlState == "57014")
        _ = try await Backends.wait(for: "in between", waiting: "advisory", other)
        let third = Task(executorPreference: client.loop) { try await client.write(CountRows()) }
        // Two cycles of the loop: the call has gone out.
        let loop = client.loop
        for _ in 0..<2 { await loop.run { await loop.sleep(nanoseconds: 1_000_000) } }
        table.close()
        between.close()
        try await #expect(middle.value == ["in between"])
        let same = await #expect(throws: PostgresError.self) { try await second.value }
        #expect(same?.sqlState == "57014")
        try await #expect(third.value == [0])
        try await #expect(client.write(CountRows()) == [0])
        let last = Session(loop: other.loop)
        try await last.open(ScratchServer.address)
        try await last.run("DROP TABLE held")
        last.close()
      }
    }
  }

  @Test func nobodyWaitsForEverForADeadServer() async throws {
    try await withLoop { loop in
      let client = PostgresClient(
        try DatabaseAddress("host=127.0.0.1 port=1"), connections: 1, loop: loop)
      client.answerNanoseconds = 1
      client.start()
      let transaction = Task(executorPreference: loop) {
        try await client.transaction { try await $0.run(Echo(value: Int32(1))) }
      }
      let error = await #expect(throws: PostgresError.self) {
        _ = try await client.read(Echo(value: Int32(1)))
      }
      #expect(error?.code == .disconnected)
      #expect(error?.isSafeToRetry == true)
      await #expect(throws: PostgresError.self) { try await transaction.value }
      client.close()
    }
  }

  /// libpq closes the socket of the host that refused, and opens the next under its number.
  /// Server processes that are stopped keep their connections and say nothing. Six calls are told
  /// so, one after the other, each with a new connection.
  @Test func aSilentServerCostsACallItsTimeAndNoMore() async throws {
    try await withLoop { loop in
      let events = Events()
      let client = PostgresClient(
        try ScratchServer.address, connections: 1, loop: loop, answerNanoseconds: 2_000_000_000,
        observe: { events.append($0) })
      client.start()
      var stopped: [Int32] = []
      defer { for process in stopped { kill(process, SIGCONT) } }
      let began = ContinuousClock.now
      while stopped.count < 6 {
        await events.wait(for: "connected", count: events.count("disconnected") + 1)
        // On a busy machine two seconds may be short for a process that runs, too.
        guard let process = try? await client.write(BackendProcess()).first else {
          await loop.sleep(nanoseconds: 1_000_000)
          continue
        }
        kill(process, SIGSTOP)
        stopped.append(process)
        let error = await #expect(throws: PostgresError.self) {
          _ = try await client.write(Echo(value: Int32(1)))
        }
        #expect(error?.condition == .outage)
      }
      // It was twenty seconds for each.
      #expect(ContinuousClock.now - began < .seconds(100))
      client.close()
    }
  }

  /// A connection that owes nothing is as dead as the one that is late, and the next call must not
  /// find that out.
  @Test func anIdleConnectionToASilentServerIsGivenUpToo() async throws {
    try await withLoop { loop in
      let events = Events()
      let client = PostgresClient(
        try ScratchServer.address, connections: 2, loop: loop, observe: { events.append($0) })
      client.start()
      await events.wait(for: "connected", count: 2)
      let processes = try await client.transaction { first in
        let other = try await client.transaction { try await $0.run(BackendProcess()) }
        return try await first.run(BackendProcess()) + other
      }
      #expect(Set(processes).count == 2)
      for process in processes { kill(process, SIGSTOP) }
      defer { for process in processes { kill(process, SIGCONT) } }
      await #expect(throws: PostgresError.self) { try await client.write(Echo(value: Int32(1))) }
      await events.wait(for: "disconnected", count: 2)
      client.close()
    }
  }

  @Test(
    arguments: [
      (5_000_000_000, 4_500_000_000, 4_000), (1_000_000_000, 900_000_000, 800), (1, 0, 1),
      (.max, .max / 10 * 9, Int32.max),
    ] as [(UInt64, UInt64, Int32)])
  func timesFollowFromOne(answer: UInt64, silence: UInt64, statement: Int32) {
    let times = CallTimes(answerNanoseconds: answer)
    #expect(times.silenceNanoseconds == silence)
    #expect(times.statementMilliseconds == statement)
  }

  @Test func hostsAreTriedInTurn() async throws {
    let path = try Self.directory(of: ScratchServer.conninfo)
    let conninfo =
      "host='127.0.0.1,127.0.0.1,\(path)' port='1,1,5432' user=postilion dbname=postilion"
    try await withClient(DatabaseAddress(conninfo)) { client, _ in #expect(client.isConnected) }
  }

  /// One of several servers takes no changes, as a standby does; the string does not ask for the
  /// other.
  @Test func ofSeveralServersThePrimaryIsFound() async throws {
    let root = "/tmp/postilion tests/\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: root) }
    let server = ScratchServer.make("\(root)/data")
    defer { server.stop() }
    let other = try Self.directory(of: server.start())
    let reason = ClusterDatabase.execute(
      "ALTER DATABASE postilion SET default_transaction_read_only = on",
      on: "host='\(other)' port=5432 user=postilion dbname=postilion")
    #expect(reason == nil)
    let path = try Self.directory(of: ScratchServer.conninfo)
    let conninfo = "host='\(other),\(path)' port=5432 user=postilion dbname=postilion"
    try await withClient(DatabaseAddress(conninfo), connections: 1) { client, _ in
      try await #expect(client.write(IsReadOnly()) == ["off"])
    }
    try await withClient(
      DatabaseAddress(conninfo + " target_session_attrs=any"), connections: 1
    ) { client, _ in
      try await #expect(client.write(IsReadOnly()) == ["on"])
    }
  }

  /// A primary that has become a standby answers reads, so nothing breaks by itself.
  @Test func aServerThatTakesNoChangesAnyMoreIsLeftAtOnce() async throws {
    let path = try Self.directory(of: ScratchServer.conninfo)
    let conninfo = "host='\(path),\(path)' port=5432 user=postilion dbname=postilion"
    try await withClient(DatabaseAddress(conninfo), connections: 1) { client, events in
      _ = try await client.write(BecomeReadOnly())
      try await #expect(client.read(Echo(value: "read")) == ["read"])
      let error = await #expect(throws: PostgresError.self) {
        _ = try await client.write(LockNothing())
      }
      #expect(error?.condition == .readOnly)
      _ = try await client.transaction { try await $0.run(LockNothing()) }
      #expect(events.count("connected") == 2)
      _ = try await client.write(BecomeReadOnly())
      let again = await #expect(throws: PostgresError.self) {
        try await client.transaction { try await $0.run(LockNothing()) }
      }
      #expect(again?.condition == .readOnly)
      _ = try await client.transaction { try await $0.run(LockNothing()) }
      #expect(events.count("connected") == 3)
    }
  }

  /// The server of the tests has it off.
  @Test(arguments: [
    ("", "on"), ("off", "on"), ("local", "on"), ("on", "on"), ("remote_write", "remote_write"),
    ("remote_apply", "remote_apply"),
  ])
  func aCommitIsOnTheDisk(setting: String, used: String) async throws {
    let path = try Self.directory(of: ScratchServer.conninfo)
    let option = setting.isEmpty ? "" : " options='-c synchronous_commit=\(setting)'"
    let address = try DatabaseAddress(
      "host='\(path)' port=5432 user=postilion dbname=postilion" + option)
    try await withClient(address, connections: 1) { client, _ in
      try await #expect(client.read(CommitSetting()) == [used])
    }
  }

  private struct CommitSetting: Statement {
    static let sql = "SELECT current_setting('synchronous_commit')"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }

  @Test func theNewestTimelineOfAServerCounts() {
    let known = KnownTimelines()
    let rows: [(server: String, number: Int64, stays: Bool)] = [
      ("a", 1, true), ("a", 1, true), ("a", 3, true), ("a", 1, false), ("a", 2, false),
      ("a", 3, true), ("b", 1, true), ("a", 4, true), ("a", 3, false),
    ]
    for row in rows {
      #expect(known.admit(Timeline(server: row.server, number: row.number)) == row.stays)
    }
    #expect(known.changeCount == 2)
  }

  private struct IsReadOnly: Statement {
    static let sql = "SELECT current_setting('default_transaction_read_only')"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }
  private struct BecomeReadOnly: Statement {
    static let sql = "SET default_transaction_read_only = on"
  }
  private struct LockNothing: Statement {
    static let sql = "SELECT FROM pg_class LIMIT 0 FOR UPDATE"
  }

  @Test func aSilentServerIsPassedOver() async throws {
    let silent = SilentServer()
    defer { silent.close() }
    let path = try Self.directory(of: ScratchServer.conninfo)
    let conninfo =
      "host='127.0.0.1,\(path)' port='\(silent.port),5432' user=postilion dbname=postilion"
    try await withClient(DatabaseAddress(conninfo)) { client, _ in #expect(client.isConnected) }
  }

  /// Whatever still waits for the server would hold the client and the loop for ever.
  @Test func aLoopThatEndsIsHeldByNobody() async throws {
    let silent = SilentServer()
    defer { silent.close() }
    weak var ended: EventLoop?
    func end() async throws {
      let loop = try EventLoop()
      ended = loop
      loop.start()
      let address = try DatabaseAddress("host=127.0.0.1 port=\(silent.port)")
      let opening = await loop.run {
        let client = PostgresClient(address, connections: 1, loop: loop, observe: { _ in })
        client.start()
        let opening = Task(executorPreference: loop) {
          try await Session(loop: loop).open(address)
        }
        // The client's connection is being made, and that of the session.
        await loop.sleep(nanoseconds: 1)
        client.close()
        return opening
      }
      loop.stop()
      await #expect(throws: PostgresError.self) { try await opening.value }
    }
    try await end()
    while ended != nil { try await Task.sleep(for: .milliseconds(5)) }
  }

  /// The directory of the socket in a private server's connection string.
  private static func directory(of conninfo: String) throws -> Substring {
    try #require(conninfo.split(separator: "host='").last?.split(separator: "'").first)
  }

  @Test func closingEndsWhatIsUnderWayAndWhatComesLater() async throws {
    try await withLoop { loop in
      let events = Events()
      let client = PostgresClient(
        try ScratchServer.address, connections: 1, loop: loop, observe: { events.append($0) })
      client.start()
      await events.wait(for: "connected")
      try await #expect(client.read(Echo(value: Int32(1))) == [1])
      let writing = Task(executorPreference: loop) { try await client.write(SlowWrite()) }
      let waiting = Task(executorPreference: loop) {
        try await client.transaction { try await $0.run(Echo(value: Int32(1))) }
      }
      await loop.sleep(nanoseconds: 1)
      client.close()
      await #expect(throws: PostgresError.self) { try await writing.value }
      await #expect(throws: PostgresError.self) { try await waiting.value }
      let later = await #expect(throws: PostgresError.self) {
        _ = try await client.read(Echo(value: Int32(1)))
      }
      #expect(later?.isSafeToRetry == true)
    }
  }

  @Test func aClientThatIsClosedWhileItConnectsStaysClosed() async throws {
    try await withLoop { loop in
      let address = try ScratchServer.address
      let client = PostgresClient(address, connections: 3, loop: loop, observe: { _ in })
      client.start()
      await loop.sleep(nanoseconds: 1)
      client.close()
      // One that began later, and took the whole way, is connected.
      let events = Events()
      let later = PostgresClient(
        address, connections: 3, loop: loop, observe: { events.append($0) })
      later.start()
      await events.wait(for: "connected")
      #expect(!client.isConnected)
      later.close()
    }
  }

  @Test func aClosedSessionFailsSoftly() async throws {
    try await withLoop { loop in
      let session = Session(loop: loop)
      try await session.open(ScratchServer.address)
      try await #expect(session.run("SELECT 1") == [["1"]])
      let error = await #expect(throws: PostgresError.self) { try await session.run("SELECT 1/0") }
      #expect(error?.sqlState == "22012")
      try await #expect(session.run("SELECT 2; SELECT 3") == [["2"], ["3"]])
      let copy = await #expect(throws: PostgresError.self) {
        try await session.run("COPY (SELECT 1) TO STDOUT")
      }
      #expect(copy?.code == .misuse)
      await #expect(throws: PostgresError.self) { try await session.run("SELECT 1") }
      await #expect(throws: PostgresError.self) { _ = try await session.nextNotification() }
    }
  }
}
