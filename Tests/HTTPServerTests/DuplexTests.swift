import EventLoop
import HTTP
import Synchronization
import Testing

@testable import HTTPServer

/// Answers that are written while the body of their request still arrives.
@Suite(.timeLimit(.minutes(10))) struct DuplexTests {
  /// Lets the body of a request into its answer.
  private final class Body: @unchecked Sendable {
    let reader: any BodyReader
    init(_ reader: any BodyReader) { self.reader = reader }

    func next() async throws -> [UInt8]? { try await reader.next() }
  }

  /// An answer that reads its request's body on.
  private static func answer(
    to reader: any BodyReader,
    _ write: @Sendable @escaping (Body, any BodyWriter) async throws -> Void
  ) -> Response {
    let body = Body(reader)
    var response = Response(.ok, contentType: "text/plain") { try await write(body, $0) }
    response.readsRequest = true
    return response
  }

  /// Repeats each piece of the body as it comes.
  @Sendable private static func echo(
    _ head: RequestHead, _ reader: any BodyReader
  ) async -> Response {
    guard head.path == "/echo" else { return Response(.ok, text: "hello") }
    return answer(to: reader) { body, writer in
      while let bytes = try await body.next() { try await writer.write(bytes) }
    }
  }

  private static let head = "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"

  @Test(arguments: [false, true])
  func answersLeaveWhileTheBodyArrives(expectsContinue: Bool) async throws {
    try await withServer(handler: Self.echo) { test in
      let client = try test.client()
      for _ in 0..<2 {
        try await client.send(
          Self.head + (expectsContinue ? "Expect: 100-continue\r\n\r\n" : "\r\n"))
        if expectsContinue { #expect(try await client.answer(toHead: true).status == 100) }
        // The head leaves before the body has come.
        let answer = try await client.answer(toHead: true)
        #expect(answer.status == 200 && answer.fields["transfer-encoding"] == "chunked")
        for word in ["one", "two", "six"] {
          try await client.send("3\r\n\(word)\r\n")
          #expect(try await client.chunk() == word)
        }
        try await client.send("0\r\n\r\n")
        #expect(try await client.chunk() == "")
      }
      // Another request may follow, on the same connection.
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await client.answer().body == "hello")
      #expect(test.events.count("opened") == 1)
      client.close()
    }
  }

  @Test func aClientThatDoesNotReadStopsTheReadingOfItsBody() async throws {
    let taken = Atomic<Int>(0)
    let total = 64 << 20
    try await withServer(handler: { head, reader in
      guard head.path == "/echo" else { return Response(.notFound) }
      return Self.answer(to: reader) { body, writer in
        while let bytes = try await body.next() {
          taken.add(bytes.count, ordering: .relaxed)
          try await writer.write(bytes)
        }
      }
    }) { test in
      let client = try test.client(receiveBufferBytes: 8192)
      try await client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: \(total)\r\n\r\n")
      let sending = Task(executorPreference: test.loop) {
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        for _ in 0..<total / piece.count { try await client.send(piece) }
      }
      var last = -1
      while last <= 0 || last != taken.load(ordering: .relaxed) {
        last = taken.load(ordering: .relaxed)
        await test.loop.sleep(nanoseconds: .milliseconds(50))
      }
      // The kernel's buffers and ours are full, and nothing more was taken.
      #expect(last < total / 2)
      var read = 0
      #expect(try await client.answer(toHead: true).status == 200)
      while case let piece = try await client.chunk(), !piece.isEmpty { read += piece.utf8.count }
      #expect(read == total)
      try await sending.value
      client.close()
    }
  }

  @Test(arguments: [true, false])
  func aClientThatGoesAwayEndsItAll(whileWriting: Bool) async throws {
    let ended = Atomic<Bool>(false)
    try await withServer(handler: { head, reader in
      guard head.path == "/echo" else { return Response(.notFound) }
      return Self.answer(to: reader) { body, writer in
        defer { ended.store(true, ordering: .relaxed) }
        // The next piece is waited for while this one is written.
        while true {
          async let next = body.next()
          try await writer.write([UInt8](repeating: 0x61, count: whileWriting ? 1 << 20 : 1))
          guard try await next != nil else { break }
        }
      }
    }) { test in
      let client = try test.client(receiveBufferBytes: 8192)
      try await client.send(Self.head + "\r\n")
      #expect(try await client.answer(toHead: true).status == 200)
      if !whileWriting { #expect(try await client.chunk() == "a") }
      client.close()
      await test.events.wait(for: "closed")
      let hasEnded = ended.load(ordering: .relaxed)
      #expect(hasEnded)
      #expect(test.events.count("aborted") == 1)
    }
  }

  @Test func aClientIsNotLateWithItsBodyWhileItHasAnswersToTake() async throws {
    try await withServer { timeouts in
      timeouts.bodyNanoseconds = .milliseconds(50)
      timeouts.writeNanoseconds = .minutes(5)
    } handler: { head, reader in
      guard head.path == "/echo" else { return Response(.notFound) }
      return Self.answer(to: reader) { body, writer in
        async let next = body.next()
        try await writer.write([UInt8](repeating: 0x61, count: 16 << 20))
        try await writer.write(try await next ?? [])
      }
    } _: { test in
      let client = try test.client(receiveBufferBytes: 8192)
      try await client.send(Self.head + "\r\n")
      #expect(try await client.answer(toHead: true).status == 200)
      // Ten times as long as a body may keep us waiting.
      await test.loop.sleep(nanoseconds: .milliseconds(500))
      #expect(test.events.count("timed out body") == 0)
      try await client.send("3\r\nend\r\n0\r\n\r\n")
      #expect(try await client.chunk().utf8.count == 16 << 20)
      #expect(try await client.chunk() == "end")
      client.close()
    }
  }

  @Test func aClientThatIsSilentIsGivenUp() async throws {
    try await withServer { timeouts in
      timeouts.bodyNanoseconds = .milliseconds(50)
    } handler: {
      await Self.echo($0, $1)
    } _: { test in
      let client = try test.client()
      try await client.send(Self.head + "\r\n3\r\none\r\n")
      await test.events.wait(for: "timed out body")
      await test.events.wait(for: "aborted")
      client.close()
    }
  }

  @Test func anAnswerThatEndsBeforeTheBodyEndsTheConnection() async throws {
    try await withServer(handler: { head, reader in
      guard head.path == "/echo" else { return Response(.notFound) }
      return Self.answer(to: reader) { _, writer in try await writer.write(Array("no".utf8)) }
    }) { test in
      let client = try test.client()
      try await client.send(Self.head + "\r\n3\r\none\r\n")
      #expect(try await client.answer().body == "no")
      #expect(await client.isEnded())
      client.close()
    }
  }
}
