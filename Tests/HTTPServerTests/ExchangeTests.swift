import EventLoop
import HTTP
import Testing

@testable import HTTPServer

/// What a client sees of requests that are well.
@Suite(.timeLimit(.minutes(10))) struct ExchangeTests {
  @Test func answersARequestWithADate() async throws {
    try await withServer { test in
      let client = try test.client()
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      let answer = try await client.answer()
      #expect(answer.status == 200)
      #expect(answer.body == "hello")
      #expect(answer.fields["content-length"] == "5")
      #expect(answer.fields["connection"] == nil)
      let date = try #require(answer.fields["date"])
      #expect(date.utf8.count == 29 && date.hasSuffix(" GMT"))
      client.close()
    }
  }

  @Test func keepsTheConnectionForMany() async throws {
    try await withServer { test in
      let client = try test.client()
      for number in 0..<50 {
        try await client.send("GET /text/\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await client.answer().body == "\(number)")
      }
      #expect(test.events.count("opened") == 1)
      client.close()
    }
  }

  @Test func answersPipelinedRequestsInOrderAndInOneWrite() async throws {
    try await withServer { test in
      let client = try test.client()
      try await client.send(
        (0..<50).map { "GET /text/\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
      for number in 0..<50 { #expect(try await client.answer().body == "\(number)") }
      #expect(client.reads == 1)
      client.close()
    }
  }

  @Test func pipelinedBodiesStayWithTheirRequests() async throws {
    try await withServer { test in
      let client = try test.client()
      try await client.send(
        """
        POST /echo HTTP/1.1\r
        Host: x\r
        Content-Length: 3\r
        \r
        onePOST /ignore HTTP/1.1\r
        Host: x\r
        Transfer-Encoding: chunked\r
        \r
        3\r
        two\r
        0\r
        \r
        POST /echo HTTP/1.1\r
        Host: x\r
        Content-Length: 5\r
        \r
        three
        """)
      #expect(try await client.answer().body == "one")
      #expect(try await client.answer().body == "hello")
      #expect(try await client.answer().body == "three")
      client.close()
    }
  }

  @Test(arguments: [1, 7, 4096])
  func readsChunkedBodiesWithTrailersHoweverTheyAreCut(step: Int) async throws {
    try await withServer { test in
      let client = try test.client()
      let request = Array(
        """
        POST /echo HTTP/1.1\r
        Host: x\r
        Transfer-Encoding: chunked\r
        \r
        6;name=value\r
        hello,\r
        6\r
         world\r
        0\r
        Digest: none\r
        \r

        """.utf8)
      for start in stride(from: 0, to: request.count, by: step) {
        try await client.send(Array(request[start..<min(start + step, request.count)]))
        await Task.yield()
      }
      #expect(try await client.answer().body == "hello, world")
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await client.answer().body == "hello")
      client.close()
    }
  }

  @Test func headIsAnsweredWithoutBody() async throws {
    try await withServer { test in
      let client = try test.client()
      try await client.send(
        "HEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET /text/next HTTP/1.1\r\nHost: x\r\n\r\n")
      let answer = try await client.answer(toHead: true)
      #expect(answer.fields["content-length"] == "5")
      #expect(try await client.answer().body == "next")
      client.close()
    }
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "close", true),
    ("GET / HTTP/1.0\r\n\r\n", "close", true),
    ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "keep-alive", false),
  ])
  func theClientDecidesWhetherTheConnectionIsKept(
    request: String, connection: String, ends: Bool
  ) async throws {
    try await withServer { test in
      let client = try test.client()
      try await client.send(request)
      #expect(try await client.answer().fields["connection"] == connection)
      if ends {
        #expect(await client.isEnded())
      } else {
        try await client.send(request)
        #expect(try await client.answer().status == 200)
      }
      client.close()
    }
  }

  // MARK: Expect: 100-continue

  private static let expecting =
    "HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"

  @Test func aBodyIsInvitedWhenItIsRead() async throws {
    try await withServer { test in
      let client = try test.client()
      try await client.send("POST /echo \(Self.expecting)")
      #expect(try await client.answer().status == 100)
      try await client.send("hello")
      #expect(try await client.answer().body == "hello")
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await client.answer().status == 200)
      client.close()
    }
  }

  @Test func aBodyThatIsNotReadIsNotInvited() async throws {
    try await withServer { test in
      let client = try test.client()
      try await client.send("POST /ignore \(Self.expecting)")
      let answer = try await client.answer()
      #expect(answer.status == 200)
      // Nobody knows whether the body follows.
      #expect(answer.fields["connection"] == "close")
      #expect(await client.isEnded())
      client.close()
    }
  }

  // MARK: Bodies that nobody reads

  @Test func aSmallBodyIsDroppedAndTheConnectionKept() async throws {
    try await withServer { test in
      let client = try test.client()
      let body = String(repeating: "x", count: 20_000)
      for _ in 0..<3 {
        try await client.send(
          "POST /ignore HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let answer = try await client.answer()
        #expect(answer.status == 200)
        #expect(answer.fields["connection"] == nil)
      }
      #expect(test.events.count("opened") == 1)
      client.close()
    }
  }

  /// The client sends on and on, and looks at the answer only then.
  @Test func theRefusalOfALargeBodyReachesAClientThatSendsItAll() async throws {
    try await withServer { test in
      let client = try test.client()
      let body = [UInt8](repeating: 0x78, count: 8 << 20)
      try await client.send(
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n\r\n")
      try await client.send(body)
      let answer = try await client.answer()
      #expect(answer.status == 413)
      #expect(answer.fields["connection"] == "close")
      #expect(await client.isEnded())
      client.close()
    }
  }

  // MARK: Peers that leave

  @Test(arguments: [
    "", "GET", "GET / HTTP/1.1\r\nHost: x\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf",
  ])
  func aClientMayLeaveAtAnyTime(sent: String) async throws {
    try await withServer { test in
      let client = try test.client()
      try await client.send(sent)
      client.close()
      await test.events.wait(for: "closed")
    }
  }

  @Test func aClientThatOnlyEndsItsSideGetsItsAnswer() async throws {
    try await withServer { test in
      let client = try test.client()
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      client.shutdownWriting()
      #expect(try await client.answer().body == "hello")
      #expect(await client.isEnded())
      client.close()
    }
  }

  @Test func moreConnectionsThanTheLimitWait() async throws {
    try await withServer { test in
      test.server.connectionLimit = 2
      let clients = try (0..<3).map { _ in try test.client() }
      for client in clients { try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
      #expect(try await clients[0].answer().status == 200)
      #expect(try await clients[1].answer().status == 200)
      #expect(test.events.count("opened") == 2)
      clients[0].close()
      #expect(try await clients[2].answer().status == 200)
      for client in clients { client.close() }
      await test.events.wait(for: "closed", count: 3)
    }
  }

  @Test func theMemoryOfManyConnectionsIsGivenBack() async throws {
    try await withServer { test in
      var trims = 0
      test.server.trim = { trims += 1 }
      for count in [Limits.trimmedConnections / 2, Limits.trimmedConnections] {
        let clients = try (0..<count).map { _ in try test.client() }
        let opened = test.events.count("opened")
        await test.events.wait(for: "opened", count: opened + count)
        #expect(trims == 0)
        for client in clients { client.close() }
        await test.events.wait(for: "closed", count: opened + count)
      }
      #expect(trims == 1)
    }
  }
}
