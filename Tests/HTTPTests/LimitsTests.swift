import HTTP
import Testing

@Suite struct LimitsTests {
  static let limits: HTTPLimits = {
    var limits = HTTPLimits()
    limits.requestLineBytes = 20
    limits.headerBytes = 20
    limits.headerCount = 3
    limits.chunkLineBytes = 8
    limits.chunkExtensionBytes = 6
    limits.trailerBytes = 20
    limits.trailerCount = 2
    return limits
  }()
  static let chunked = "POST / HTTP/1.1\r\nHost:\r\nTransfer-Encoding:chunked\r\n\r\n"

  static let heads = [
    Row("line of 20", "GET /234567 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /234567 1.1 none keep\nidle"),
    Row("line of 21", "GET /2345678 HTTP/1.1\r\nHost: a\r\n\r\n", "414 request_line_too_long"),
    Row("line without end", "GET /23456789012345678", "414 request_line_too_long"),
    Row("line that may still end", "GET /234567 HTTP/1.1\r", "waits in head"),
    Row("fields of 20", "GET / HTTP/1.1\r\nHost: 7890123456\r\n\r\n", "GET / 1.1 none keep\nidle"),
    Row("fields of 21", "GET / HTTP/1.1\r\nHost: 78901234567\r\n\r\n", "431 fields_too_large"),
    Row("two lines of 21", "GET / HTTP/1.1\r\nHost: 7\r\nA: 45678\r\n\r\n", "431 fields_too_large"),
    Row("fields without end", "GET / HTTP/1.1\r\nHost: 78901234567890", "431 fields_too_large"),
    Row("3 fields", "GET / HTTP/1.1\r\nHost:\r\nA:\r\nA:\r\n\r\n", "GET / 1.1 none keep\nidle"),
    Row("4 fields", "GET / HTTP/1.1\r\nHost:\r\nA:\r\nA:\r\nA:\r\n\r\n", "431 fields_too_large"),
  ]

  @Test(arguments: heads, [1, 1_000])
  func headsAreBounded(_ row: Row, step: Int) {
    #expect(transcript(of: row.sent, step: step, limits: Self.limits) == row.expected)
  }

  static let bodies = [
    Row("chunk line of 8", "1;234567\r\na\r\n0\r\n\r\n", "400 chunk_extensions_too_large"),
    Row("extensions of 6", "1;23\r\na\r\n0;23\r\n\r\n", "  a\nidle"),
    Row("extensions of 7", "1;23\r\na\r\n0;234\r\n\r\n", "400 chunk_extensions_too_large"),
    Row("chunk line of 9", "1;2345678\r\na\r\n0\r\n\r\n", "400 chunk_line_too_long"),
    Row("chunk line without end", "000000000000", "400 chunk_line_too_long"),
    Row("trailers of 20", "0\r\nA: 4567890123456\r\n\r\n", "idle"),
    Row("trailers of 21", "0\r\nA: 45678901234567\r\n\r\n", "431 trailers_too_large"),
    Row("trailers without end", "0\r\nA: 45678901234567890", "431 trailers_too_large"),
    Row("3 trailers", "0\r\nA:\r\nA:\r\nA:\r\n\r\n", "431 trailers_too_large"),
  ]

  @Test(arguments: bodies, [1, 1_000])
  func bodiesAreBounded(_ row: Row, step: Int) {
    var limits = Self.limits
    limits.headerBytes = 100
    #expect(
      transcript(of: Self.chunked + row.sent, step: step, limits: limits)
        == "POST / 1.1 chunked keep\n" + row.expected)
  }

  @Test func extensionsAreCountedByBody() {
    var limits = Self.limits
    limits.headerBytes = 100
    let request = Self.chunked + "0;2345\r\n\r\n"
    #expect(
      transcript(of: request + request, step: 1, limits: limits)
        == "POST / 1.1 chunked keep\nPOST / 1.1 chunked keep\nidle")
  }

  @Test func whatIsNeverReadIsNeverKept() throws {
    var parser = RequestParser()
    parser.append(Array("GET / HTTP/1.0\r\n\r\n".utf8))
    while try parser.next() != nil {}
    parser.append([UInt8](repeating: 65, count: 1_000))
    #expect(parser.bufferedBytes == 0)
  }
}
