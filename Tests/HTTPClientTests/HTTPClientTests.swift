import HTTPClient
import Testing

/// Calls over a socket, answered by bytes of the test.
@Suite struct HTTPClientTests {
  private func call(
    _ server: CannedServer, _ method: String = "GET", body: HTTPRequest.Body = .none,
    change: (inout HTTPRequest) -> Void = { _ in }
  ) throws -> (head: HTTPResponseHead, body: String) {
    var request = HTTPRequest(
      method, "http://127.0.0.1:\(server.port)/a%20b?c=d", fields: [("X-One", "1")], body: body)
    change(&request)
    var bytes: [UInt8] = []
    let head = try HTTPClient().perform(request) { _, piece in
      bytes += piece
      return true
    }
    return (head, String(decoding: bytes, as: UTF8.self))
  }

  @Test func anAnswerHasStatusFieldsAndBody() throws {
    let server = CannedServer([
      ("\r\n\r\n", "HTTP/1.1 200 OK\r\nX-Two:  b \r\nContent-Length: 4\r\n\r\nbody")
    ])
    let reply = try call(server)
    #expect(reply.head.status == 200)
    #expect(reply.head["x-two"] == "b ")
    #expect(reply.body == "body")
    let lines = server.requests[0].split(whereSeparator: \.isNewline)
    #expect(lines.first == "GET /a%20b?c=d HTTP/1.1")
    #expect(lines.contains("X-One: 1"))
  }

  @Test func bytesAreSentWithTheirLength() throws {
    let server = CannedServer([("the body", "HTTP/1.1 204 No Content\r\n\r\n")])
    #expect(try call(server, "PUT", body: .bytes(Array("the body".utf8))).head.status == 204)
    #expect(server.requests[0].contains("PUT /a%20b?c=d HTTP/1.1\r\n"))
    #expect(server.requests[0].contains("Content-Length: 8\r\n"))
  }

  @Test func aStreamOfUnknownLengthIsSentInChunks() throws {
    let server = CannedServer([("0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")])
    var pieces = ["one ", "two"]
    let body = HTTPRequest.Body.stream { room in
      guard !pieces.isEmpty else { return 0 }
      let piece = Array(pieces.removeFirst().utf8)
      room.copyBytes(from: piece)
      return piece.count
    }
    #expect(try call(server, "POST", body: body).head.status == 200)
    #expect(server.requests[0].contains("Transfer-Encoding: chunked\r\n"))
    #expect(server.requests[0].contains("4\r\none \r\n3\r\ntwo\r\n0\r\n\r\n"))
  }

  @Test func anInterimAnswerIsNone() throws {
    let server = CannedServer([
      (
        "\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nX-A: 1\r\n\r\n"
          + "HTTP/1.1 200 OK\r\nX-B: 2\r\nContent-Length: 0\r\n\r\n"
      )
    ])
    let head = try call(server).head
    #expect(head.status == 200)
    #expect(head["X-A"] == nil && head["X-B"] == "2")
  }

  @Test func whatSendsElsewhereIsNotFollowed() throws {
    let moved = "HTTP/1.1 302 Found\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n"
    #expect(try call(CannedServer([("\r\n\r\n", moved)])).head.status == 302)
  }

  /// Servers leave out the reason, and the blank in front of it (RFC 9112, section 4, wants that).
  @Test(arguments: ["HTTP/1.1 200 OK", "HTTP/1.1 200 ", "HTTP/1.1 200", "HTTP/1.0 200"])
  func aStatusIsReadAsLibcurlReadsIt(line: String) throws {
    for end in ["\r\n", "\n"] {
      let answer = "\(line)\(end)Content-Length: 0\(end)\(end)"
      #expect(try call(CannedServer([("\r\n\r\n", answer)])).head.status == 200)
    }
  }

  @Test func whatGoesWrongHasACause() throws {
    func cause(_ body: () throws -> Void) -> HTTPClientError.Cause? {
      do {
        try body()
      } catch let error as HTTPClientError {
        #expect(!error.description.isEmpty)
        return error.cause
      } catch {}
      return nil
    }
    let short = CannedServer([("\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")])
    #expect(cause { _ = try call(short) } == .transfer)
    let silent = CannedServer([("never", "")])
    #expect(cause { _ = try call(silent) { $0.totalSeconds = 1 } } == .timeout)
    #expect(cause { _ = try call(silent) { $0.address = "file:///etc/passwd" } } == .address)
    #expect(cause { _ = try call(silent) { $0.address = "http://127.0.0.1:1/" } } == .connection)
    let long = CannedServer([("\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")])
    let refused = cause {
      let address = "http://127.0.0.1:\(long.port)/"
      _ = try HTTPClient().perform(HTTPRequest("GET", address)) { _, _ in false }
    }
    #expect(refused == .stopped)
    let secure = CannedServer([("\u{16}", "no TLS at all\r\n\r\n")])
    #expect(
      cause { _ = try call(secure) { $0.address = "https://127.0.0.1:\(secure.port)/" } }
        == .trust)
  }

  @Test func authoritiesThatCannotBeReadTrustNobody() throws {
    let server = CannedServer([("\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")])
    let client = HTTPClient(authorities: "/nowhere/ca.pem")
    let error = #expect(throws: HTTPClientError.self) {
      let request = HTTPRequest("GET", "https://127.0.0.1:\(server.port)/")
      _ = try client.perform(request) { _, _ in true }
    }
    #expect(error?.cause == .trust)
    #expect(error?.description.contains("/nowhere/ca.pem") == true)
  }

  @Test func aStreamCanBreakOff() throws {
    let server = CannedServer([("never", "")])
    let error = #expect(throws: HTTPClientError.self) {
      try call(server, "POST", body: .stream { _ in nil })
    }
    #expect(error?.cause == .stopped)
  }
}
