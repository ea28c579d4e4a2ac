import EventLoop
import HTTP
import Testing

@testable import HTTPServer

/// What a client sees when its bytes are no request that we take.
@Suite(.timeLimit(.minutes(10))) struct RejectionTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let sent: String
    let status: Int
    init(_ name: String, _ status: Int, _ sent: String) {
      testDescription = name
      self.sent = sent
      self.status = status
    }
  }

  /// Behind each stands a request that must never be run.
  static let rows = [
    Row("no HTTP", 400, "hello\r\n\r\n"),
    Row("no host", 400, "GET / HTTP/1.1\r\n\r\n"),
    Row("two lengths", 400, head("Content-Length: 5\r\nContent-Length: 5")),
    Row("length and chunked", 400, head("Content-Length: 5\r\nTransfer-Encoding: chunked")),
    Row("chunked twice", 400, head("Transfer-Encoding: chunked, chunked")),
    Row("chunked first", 400, head("Transfer-Encoding: chunked, gzip")),
    Row("length with a sign", 400, head("Content-Length: +5")),
    Row("blank before the colon", 400, head("Content-Length : 5")),
    Row("folded line", 400, head("Content-Length: 5\r\n 6")),
    Row("bare LF", 400, "GET / HTTP/1.1\nHost: x\n\n"),
    Row("another transfer coding", 501, head("Transfer-Encoding: gzip, chunked")),
    Row("unknown expectation", 417, head("Expect: tea")),
    Row("another version", 505, "GET / HTTP/2.0\r\nHost: x\r\n\r\n"),
    Row("long request line", 414, "GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\n"),
    Row("long field", 431, head("A: \(String(repeating: "a", count: 40_000))")),
    Row("many fields", 431, head((0..<101).map { "A\($0): a" }.joined(separator: "\r\n"))),
  ]

  private static func head(_ fields: String) -> String {
    "POST /echo HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n"
  }

  @Test(arguments: rows)
  func isAnsweredAndNothingBehindItIsRun(row: Row) async throws {
    try await withServer { test in
      let client = try test.client()
      try await client.send(row.sent + "GET /text/smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
      let answer = try await client.answer()
      #expect(answer.status == row.status)
      #expect(answer.fields["connection"] == "close")
      #expect(await client.isEnded())
      #expect(test.events.names.contains("rejected \(answer.body)"))
      client.close()
    }
  }

  @Test func requestsBeforeItAreAnswered() async throws {
    try await withServer { test in
      let client = try test.client()
      try await client.send("GET /text/first HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n")
      #expect(try await client.answer().body == "first")
      #expect(try await client.answer().status == 400)
      #expect(await client.isEnded())
      client.close()
    }
  }

  @Test func aMalformedChunkIsTheHandlersToAnswerAndEndsTheConnection() async throws {
    try await withServer { test in
      let client = try test.client()
      try await client.send(
        Self.head("Transfer-Encoding: chunked") + "3\r\nabcd\r\n0\r\n\r\n"
          + "GET /text/smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
      let answer = try await client.answer()
      #expect(answer.status == 400)
      #expect(answer.body == "malformed_chunk")
      #expect(await client.isEnded())
      client.close()
    }
  }
}
