import HTTP
import Testing

@Suite struct ResponseTests {
  static let date = Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8)

  private func head(
    _ response: Response, version: HTTPVersion = .http11,
    connection: ConnectionPersistence = .keepAlive
  ) -> String {
    var buffer: [UInt8] = []
    ResponseEncoder.head(
      of: response, framing: ResponseEncoder.framing(of: response, version: version),
      date: Self.date, connection: connection, version: version, into: &buffer)
    return String(decoding: buffer, as: UTF8.self)
  }

  private let stream = Response(.ok, contentType: "text/csv") { writer in
    try await writer.write(Array("a,b\n".utf8))
    try await writer.write(Array("c,d\n".utf8))
  }

  @Test func bytesHaveALength() {
    #expect(
      head(Response(.ok, text: "hello")) == """
        HTTP/1.1 200 OK\r
        X-Content-Type-Options: nosniff\r
        Date: Sun, 06 Nov 1994 08:49:37 GMT\r
        Content-Length: 5\r
        Content-Type: text/plain; charset=utf-8\r
        \r

        """)
  }

  @Test func emptyBodiesHaveALength() {
    #expect(
      head(Response(.notFound), connection: .close) == """
        HTTP/1.1 404 Not Found\r
        X-Content-Type-Options: nosniff\r
        Date: Sun, 06 Nov 1994 08:49:37 GMT\r
        Content-Length: 0\r
        Connection: close\r
        \r

        """)
  }

  @Test(arguments: [Status.noContent, .notModified])
  func someStatusesForbidABody(status: Status) {
    #expect(
      head(Response(status, text: "ignored")) == """
        HTTP/1.1 \(status.code) \(status.reason)\r
        X-Content-Type-Options: nosniff\r
        Date: Sun, 06 Nov 1994 08:49:37 GMT\r
        Content-Type: text/plain; charset=utf-8\r
        \r

        """)
  }

  @Test func streamsAreChunked() {
    #expect(
      head(stream) == """
        HTTP/1.1 200 OK\r
        X-Content-Type-Options: nosniff\r
        Date: Sun, 06 Nov 1994 08:49:37 GMT\r
        Transfer-Encoding: chunked\r
        Content-Type: text/csv\r
        \r

        """)
  }

  @Test func streamsToOldClientsEndWithTheConnection() {
    #expect(
      head(stream, version: .http10) == """
        HTTP/1.1 200 OK\r
        X-Content-Type-Options: nosniff\r
        Date: Sun, 06 Nov 1994 08:49:37 GMT\r
        Connection: close\r
        Content-Type: text/csv\r
        \r

        """)
  }

  @Test func oldClientsAreToldThatTheConnectionStays() {
    #expect(
      head(Response(.serviceUnavailable), version: .http10) == """
        HTTP/1.1 503 Service Unavailable\r
        X-Content-Type-Options: nosniff\r
        Date: Sun, 06 Nov 1994 08:49:37 GMT\r
        Content-Length: 0\r
        Connection: keep-alive\r
        \r

        """)
  }

  @Test func chunksHaveHexadecimalSizes() {
    var buffer: [UInt8] = []
    ResponseEncoder.encodeChunk(Array("abc".utf8), into: &buffer)
    ResponseEncoder.encodeChunk([], into: &buffer)
    ResponseEncoder.encodeChunk(Array(repeating: UInt8(ascii: "x"), count: 26), into: &buffer)
    ResponseEncoder.lastChunk(into: &buffer)
    let expected = "3\r\nabc\r\n1a\r\n\(String(repeating: "x", count: 26))\r\n0\r\n\r\n"
    #expect(String(decoding: buffer, as: UTF8.self) == expected)
  }

  @Test func interimAnswer() {
    var buffer: [UInt8] = []
    ResponseEncoder.continueLine(into: &buffer)
    #expect(String(decoding: buffer, as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
  }

  @Test func fieldsCannotSplitAResponse() {
    var fields = ResponseFields()
    fields.append("Location", "/a\r\nSet-Cookie: b\r\n\r\n\0")
    for name in ["X\r\nY", "X:", ""] { fields.append(name, "a") }
    fields.append("X-Name", "Zoë\t1")
    #expect(fields.all.map(\.name) == ["Location", "X-Name"])
    #expect(fields.all.map(\.value) == ["/a  Set-Cookie: b     ", "Zoë\t1"])
  }

  @Test(arguments: ["Content-Length", "transfer-encoding", "Connection", "date"])
  func framingIsTheEncodersAlone(name: String) {
    var fields = ResponseFields()
    fields.append(name, "1")
    #expect(fields.all.isEmpty)
  }

  @Test func bodiesCanBeCollected() async throws {
    #expect(try await stream.collectBody() == Array("a,b\nc,d\n".utf8))
    #expect(try await Response(.ok, text: "a").collectBody() == Array("a".utf8))
    #expect(try await Response(.ok).collectBody() == [])
  }

  @Test func readersAreBounded() async throws {
    let pieces = [Array("ab".utf8), [], Array("cd".utf8)]
    #expect(try await BufferedBody(pieces: pieces).collect(upTo: 4) == Array("abcd".utf8))
    await #expect(throws: BodyTooLarge(limit: 3)) {
      try await BufferedBody(pieces: pieces).collect(upTo: 3)
    }
    #expect(try await BufferedBody().next() == nil)
  }

  @Test func statusesOutOfRangeAreServerErrors() {
    #expect(Status(42) == .internalServerError)
    #expect(Status(299).reason == "")
  }
}
