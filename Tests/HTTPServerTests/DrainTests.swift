import EventLoop
import Glibc
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

  @Test func idleConnectionsAreEndedAfterTheGrace() async throws {
    try await withServer(timeouts: { $0.graceNanoseconds = .milliseconds(1) }) { test in
      let used = try test.client()
      let fresh = try test.client()
      try await used.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await used.answer().status == 200)
      await test.events.wait(for: "opened", count: 2)
      let draining = test.loop.execute { await test.server.drain() }
      #expect(await used.isEnded())
      #expect(await fresh.isEnded())
      // What comes too late is not answered, and not reset either: it could not be sent on.
      try await used.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      try await used.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      used.shutdownWriting()
      #expect(try await used.readToEnd() == "")
      used.close()
      fresh.close()
      await draining.value
      #expect(test.events.count("closed") == 2)
      #expect(!test.events.names.contains("timed out idle"))
      #expect(throws: SystemError("connect", number: ECONNREFUSED)) { try test.client() }
    }
  }

  /// A client that does not end its side is not waited for without end.
  @Test func idleConnectionsOfClientsThatStayAreClosed() async throws {
    try await withServer(timeouts: {
      $0.graceNanoseconds = .milliseconds(1)
      $0.lingerNanoseconds = .milliseconds(1)
      $0.drainNanoseconds = .minutes(60)
    }) { test in
      let client = try test.client()
      await test.events.wait(for: "opened")
      await test.server.drain()
      #expect(await client.isEnded())
      client.close()
    }
  }

  @Test func whatArrivesWithinTheGraceIsAnswered() async throws {
    try await withServer(timeouts: {
      $0.graceNanoseconds = .minutes(60)
      $0.drainNanoseconds = .minutes(60)
    }) { test in
      let used = try test.client()
      try await used.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await used.answer().status == 200)
      // The kernel has completed this one, and the server has not accepted it.
      let waiting = try test.client()
      let draining = test.loop.execute { await test.server.drain() }
      while !test.server.isDraining { await test.loop.sleep(nanoseconds: 1) }
      try await used.send(
        (1...3).map { "GET /text/\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
      try await waiting.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      for number in 1...3 {
        let answer = try await used.answer()
        #expect(answer.body == "\(number)")
        #expect(answer.fields["connection"] == (number == 3 ? "close" : nil))
      }
      #expect(try await waiting.answer().fields["connection"] == "close")
      #expect(try await used.readToEnd() == "")
      #expect(try await waiting.readToEnd() == "")
      used.close()
      waiting.close()
      await draining.value
    }
  }

  @Test func aRequestUnderWayIsFinishedAndItsConnectionClosed() async throws {
    let gate = Gate()
    try await withServer(handler: { head, _ in
      if head.path == "/" { await gate.pass() }
      return Response(.ok, text: head.path)
    }) { test in
      let client = try test.client()
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      await gate.arrived()
      let draining = test.loop.execute { await test.server.drain() }
      let second = test.loop.execute { await test.server.drain() }
      // Closed with this unread, the connection would be reset, and the answer perhaps lost.
      try await client.send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
      gate.open()
      #expect(try await client.answer().body == "/")
      let answer = try await client.answer()
      #expect(answer.body == "/next")
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

  /// A loop that was busy for all of that time must not turn round such a connection for ever.
  @Test func whatIsIdleWhenTheTimeIsOverIsCutOff() async throws {
    try await withServer(timeouts: {
      $0.graceNanoseconds = .minutes(60)
      $0.drainNanoseconds = .milliseconds(20)
    }) { test in
      let client = try test.client()
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      _ = try await client.answer()
      await test.server.drain()
      #expect(await client.isEnded())
      await test.events.wait(for: "closed")
      client.close()
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
