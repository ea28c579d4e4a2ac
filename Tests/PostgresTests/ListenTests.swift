import EventLoop
import Glibc
import Testing

@testable import Postgres

@Suite(.timeLimit(.minutes(10))) struct ListenTests {
  private struct Notify: Statement {
    static let sql = "SELECT pg_notify($1, $2)::text"
    var channel = "test_channel"
    let payload: String
    func bind(to parameters: inout Parameters) {
      parameters.append(channel)
      parameters.append(payload)
    }
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
  }

  /// What a listener hears, handed over one by one.
  @Test func hearsNoticesOverBreaksOfTheConnectionUntilItIsCancelled() async throws {
    try await withClient { client, _ in
      let address = try ScratchServer.address
      let loop = client.loop
      let (notices, continuation) = AsyncStream<DatabaseNotice>.makeStream()
      let listening = loop.execute {
        await listen(address, channel: "test_channel", loop: loop) { continuation.yield($0) }
        continuation.finish()
      }
      var iterator = notices.makeAsyncIterator()
      // On a busy machine an attempt to connect may take too long.
      var notice = await iterator.next()
      while notice == .interrupted { notice = await iterator.next() }
      #expect(notice == .listening)
      for payload in ["one", "", "zwei 2"] {
        _ = try await client.write(Notify(payload: payload))
        #expect(await iterator.next() == .notified(payload: payload))
      }

      let process = try await Backends.wait(
        for: "LISTEN test_channel", waiting: "ClientRead", client)
      _ = try await client.write(Terminate(process: process))
      notice = await iterator.next()
      #expect(notice == .interrupted)
      while notice == .interrupted { notice = await iterator.next() }
      #expect(notice == .listening)
      _ = try await client.write(Notify(payload: "after the break"))
      #expect(await iterator.next() == .notified(payload: "after the break"))

      listening.cancel()
      await listening.value
      #expect(await iterator.next() == nil)
    }
  }

  /// Its connection does not break, and nothing comes over it.
  @Test func aServerProcessThatHangsIsLeftForAnother() async throws {
    try await withClient { client, _ in
      let address = try ScratchServer.address
      let loop = client.loop
      let (notices, continuation) = AsyncStream<DatabaseNotice>.makeStream()
      let listening = loop.execute {
        await listen(address, channel: "hanging_channel", loop: loop) { continuation.yield($0) }
        continuation.finish()
      }
      var iterator = notices.makeAsyncIterator()
      while await iterator.next() != .listening {}
      let process = try await Backends.wait(
        for: "LISTEN hanging_channel", waiting: "ClientRead", client)
      kill(process, SIGSTOP)
      defer { kill(process, SIGCONT) }
      while await iterator.next() != .listening {}
      _ = try await client.write(Notify(channel: "hanging_channel", payload: "elsewhere"))
      #expect(await iterator.next() == .notified(payload: "elsewhere"))
      listening.cancel()
      await listening.value
    }
  }

  @Test func aListenerTellsTheTimeOfTheDatabase() async throws {
    try await withLoop { loop in
      let (times, continuation) = AsyncStream<(Timestamp, UInt64)>.makeStream()
      let address = try ScratchServer.address
      let began = Monotonic.now()
      let listening = loop.execute {
        await listen(
          address, channel: "time_channel", loop: loop,
          onTime: { continuation.yield(($0, $1)) }, onNotice: { _ in })
      }
      var iterator = times.makeAsyncIterator()
      let first = try #require(await iterator.next())
      let second = try #require(await iterator.next())
      #expect(first.0 < second.0)
      #expect(began <= first.1 && first.1 < second.1)
      listening.cancel()
      await listening.value
    }
  }

  @Test func aListenerOfADeadServerCanBeCancelled() async throws {
    try await withLoop { loop in
      let events = Events()
      let (notices, continuation) = AsyncStream<DatabaseNotice>.makeStream()
      let nobody = try DatabaseAddress("host=127.0.0.1 port=1")
      let listening = loop.execute {
        await listen(
          nobody, channel: "x", loop: loop, observe: { events.append($0) }
        ) { continuation.yield($0) }
      }
      await events.wait(for: "connect failed", count: 2)
      var iterator = notices.makeAsyncIterator()
      for _ in 1...2 { #expect(await iterator.next() == .interrupted) }
      listening.cancel()
      await listening.value
    }
  }
}
