import HTTP
import TestSupport
import Testing

@Suite struct RequestParserTests {
  static let pipelined = """
    POST /a HTTP/1.1\r
    Host: a\r
    Transfer-Encoding: chunked\r
    \r
    5\r
    hello\r
    1;x="y"\r
    !\r
    0\r
    X: y\r
    \r
    GET /b?c HTTP/1.1\r
    Host: a\r
    \r
    \r
    PUT /d HTTP/1.1\r
    Host: a\r
    Content-Length: 12\r
    Expect: 100-continue\r
    \r
    GET / HTTP/1OPTIONS * HTTP/1.0\r
    Connection: keep-alive\r
    \r
    DELETE http://a/e HTTP/1.1\r
    Host: a\r
    Connection: close\r
    \r

    """

  static let expected = """
    POST /a 1.1 chunked keep
      hello!
    GET /b?c 1.1 none keep
    PUT /d 1.1 length 12 keep continue
      GET / HTTP/1
    OPTIONS * 1.0 none keep
    DELETE /e 1.1 none close
    idle
    """

  @Test(arguments: [1, 2, 3, 5, 7, 64, 10_000])
  func pipelinedRequestsComeInOrder(step: Int) {
    #expect(transcript(of: Self.pipelined, step: step) == Self.expected)
  }

  /// Cuts at random places; the seed makes each of them a fixed case.
  @Test(arguments: 0..<200)
  func cutsChangeNothing(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    let bytes = Array(Self.pipelined.utf8)
    var pieces: [[UInt8]] = []
    var index = 0
    while index < bytes.count {
      let end = min(bytes.count, index + Int(random.next() % 40))
      pieces.append(Array(bytes[index..<end]))
      index = end
    }
    #expect(transcript(of: pieces) == Self.expected)
  }

  /// Any one byte changed may be an error or not, but it is the same one however it arrives.
  @Test(arguments: 0..<300)
  func damageIsReadTheSameWay(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    var bytes = Array(Self.pipelined.utf8)
    let suspects = Array("\r\n \t:;,\0\u{7F}0a%#/\"".utf8)
    let index = Int(random.next() % UInt64(bytes.count))
    bytes[index] = suspects[Int(random.next() % UInt64(suspects.count))]
    #expect(transcript(of: pieces(bytes, step: 1)) == transcript(of: [bytes]))
  }

  @Test func statesTellWhichTimeoutRuns() throws {
    var parser = RequestParser()
    func states() -> [Bool] { [parser.isBetweenRequests, parser.isInHead, parser.isInBody] }
    #expect(try parser.next() == nil && states() == [true, false, false])
    parser.append(Array("P".utf8))
    #expect(try parser.next() == nil && states() == [false, true, false])
    parser.append(Array("UT / HTTP/1.1\r\n".utf8))
    #expect(try parser.next() == nil && states() == [false, true, false])
    parser.append(Array("Host: a\r\nContent-Length: 2\r\n\r\n".utf8))
    #expect(try parser.next() != nil && states() == [false, false, true])
    parser.append(Array("ab".utf8))
    #expect(parser.bufferedBytes == 2)
    #expect(try parser.next() != nil && states() == [false, false, true])
    #expect(try parser.next() != nil && states() == [true, false, false])
    #expect(parser.bufferedBytes == 0)
  }

  @Test func nothingIsReadBehindAnError() {
    var parser = RequestParser()
    parser.append(Array("GET / HTTP/9.9\r\n\r\n".utf8))
    #expect(throws: ParseError.self) { try parser.next() }
    parser.append(Array("GET / HTTP/1.0\r\n\r\n".utf8))
    #expect(throws: ParseError.self) { try parser.next() }
    #expect(parser.bufferedBytes == 0)
  }

  @Test func nothingIsReadBehindTheLastRequest() {
    let last = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    #expect(
      transcript(of: last + "GET /b HTTP/1.0\r\n\r\n", step: 1_000) == "GET / 1.1 none close\nidle")
  }
}
