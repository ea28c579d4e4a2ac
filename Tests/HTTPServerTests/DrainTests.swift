import EventLoop
import HTTP
import Testing

@testable import HTTPServer

/// How a server stops.
@Suite(.timeLimit(.minutes(10))) struct DrainTests {
  /// Lets a handler wait until the test says so.
  private final class Gate: @unchecked Sendable {
    private var waiters: [UnsafeContinuation<Void, Never>] = []
    private var arrival: UnsafeContinuation<Void, Never>?

    func pass() async {
      await withUnsafeContinuation {
        waiters.append($0)
        arrival.take()?.resume()
      }
    }
    func arrived() async {
      if waiters.isEmpty { await withUnsafeContinuation { arrival = $0 } }
    }
    func open() {
      for waiter in waiters { waiter.resume() }
      waiters = []
    }
  }

  @Test func idleConnectionsAreClosedAtOnce() async throws {
    try await withServer { test in
      let used = try test.client()
      let fresh = try test.client()
      try await used.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await used.answer().status == 200)
      await test.events.wait(for: "opened", count: 2)
      await test.server.drain()
      #expect(await used.isEnded())
      #expect(await fresh.isEnded())
      #expect(test.events.count("closed") == 2)
      #expect(throws: SystemError.self) { try test.client() }
    }
  }

  @Test func aRequestUnderWayIsFinishedAndItsConnectionClosed() async throws {
    let gate = Gate()
    try await withServer(handler: { _, _ in
      await gate.pass()
      return Response(.ok, text: "late")
    }) { test in
      let client = try test.client()
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      await gate.arrived()
      let draining = test.loop.execute { await test.server.drain() }
      let second = test.loop.execute { await test.server.drain() }
      // Closed with this unread, the connection would be reset, and the answer perhaps lost.
      try await client.send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
      gate.open()
      let answer = try await client.answer()
      #expect(answer.body == "late")
      #expect(answer.fields["connection"] == "close")
      // An end, and no reset.
      #expect(try await client.readToEnd() == "")
      client.close()
      await draining.value
      await second.value
    }
  }

  @Test func aBodyUnderWayIsReadToItsEnd() async throws {
    try await withServer { test in
      let client = try test.client()
      try await client.send(
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
      #expect(try await client.answer().status == 100)
      let draining = test.loop.execute { await test.server.drain() }
      await test.loop.sleep(nanoseconds: 1)
      try await client.send("hello")
      #expect(try await client.answer().body == "hello")
      client.close()
      await draining.value
    }
  }

  @Test func whatTakesTooLongIsCutOff() async throws {
    let gate = Gate()
    try await withServer(
      timeouts: { $0.drainNanoseconds = .milliseconds(20) },
      handler: { _, _ in
        await gate.pass()
        return Response(.ok, text: "too late")
      }
    ) { test in
      let client = try test.client()
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      await gate.arrived()
      await test.server.drain()
      #expect(await client.isEnded())
      gate.open()
      await test.events.wait(for: "closed")
      client.close()
    }
  }
}
