import EventLoop
import HTTP
import Testing

@testable import HTTPServer

/// Connections that wait for long give back the memory of their requests.
@Suite(.timeLimit(.minutes(10))) struct ParkingTests {
  private static let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

  /// Waits until connections are parked.
  private static func parked(_ count: Int, of test: TestServer) async {
    while test.server.parkedConnections != count {
      await test.loop.sleep(nanoseconds: .milliseconds(1))
    }
  }

  @Test func aParkedConnectionAnswersItsNextRequests() async throws {
    try await withServer(timeouts: { $0.parkNanoseconds = .milliseconds(1) }) { test in
      let client = try test.client()
      // New, and again after requests.
      for _ in 0..<3 {
        await Self.parked(1, of: test)
        try await client.send(Self.request + Self.request)
        #expect(try await client.answer().status == 200)
        #expect(try await client.answer().status == 200)
      }
      await Self.parked(1, of: test)
      client.close()
      await test.events.wait(for: "closed")
      #expect(!test.events.names.contains("timed out idle"))
    }
  }

  /// A head that came in part is waited for as ever.
  @Test func aParkedConnectionIsCutOffForItsNextHead() async throws {
    try await withServer(timeouts: {
      $0.parkNanoseconds = .milliseconds(1)
      $0.headNanoseconds = .milliseconds(20)
    }) { test in
      let client = try test.client()
      await Self.parked(1, of: test)
      try await client.send("GET / HTTP/1.1\r\n")
      #expect(try await client.answer().status == 408)
      client.close()
    }
  }

  @Test func aParkedConnectionIsClosedWhenItHasWaitedEnough() async throws {
    try await withServer(timeouts: {
      $0.parkNanoseconds = .milliseconds(1)
      $0.idleNanoseconds = .milliseconds(300)
    }) { test in
      let client = try test.client()
      #expect(try await client.readToEnd() == "")
      #expect(test.events.count("timed out idle") == 1)
      client.close()
    }
  }

  /// The grace of a drain is theirs as well.
  @Test func aDrainAnswersWhatComesOnParkedConnections() async throws {
    try await withServer(timeouts: {
      $0.parkNanoseconds = .milliseconds(1)
      $0.graceNanoseconds = .minutes(60)
      $0.drainNanoseconds = .minutes(60)
    }) { test in
      let client = try test.client()
      await Self.parked(1, of: test)
      let draining = test.loop.execute { await test.server.drain() }
      while !test.server.isDraining { await test.loop.sleep(nanoseconds: .milliseconds(1)) }
      try await client.send(Self.request)
      let answer = try await client.answer()
      #expect(answer.status == 200)
      #expect(answer.fields["connection"] == "close")
      client.close()
      await draining.value
    }
  }
}
