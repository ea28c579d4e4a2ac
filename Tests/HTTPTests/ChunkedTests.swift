import HTTP
import Testing

@Suite struct ChunkedTests {
  static let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"

  static let accepted = [
    Row("one chunk", "3\r\nabc\r\n0\r\n\r\n", "  abc\nidle"),
    Row("three chunks", "1\r\na\r\n2\r\nbc\r\n3\r\ndef\r\n0\r\n\r\n", "  abcdef\nidle"),
    Row("nothing", "0\r\n\r\n", "idle"),
    Row(
      "letters of both cases", "a\r\n0123456789\r\nB\r\nabcdefghijk\r\n0\r\n\r\n",
      "  0123456789abcdefghijk\nidle"),
    Row("16 digits", "0000000000000003\r\nabc\r\n000\r\n\r\n", "  abc\nidle"),
    Row("line breaks within", "4\r\n\r\n\r\n\r\n0\r\n\r\n", "  \r\n\r\n\nidle"),
    Row("quoted extension", "3;a;b=c;d=\"e;\\\"f\"\r\nabc\r\n0;x\r\n\r\n", "  abc\nidle"),
    Row("trailers", "3\r\nabc\r\n0\r\nX: a\r\nY:\r\n\r\n", "  abc\nidle"),
    Row("not over", "3\r\nabc\r\n0\r\n", "waits in body"),
  ]

  @Test(arguments: accepted, [1, 1_000])
  func accepts(_ row: Row, step: Int) {
    #expect(
      transcript(of: Self.head + row.sent, step: step)
        == "POST / 1.1 chunked keep\n" + row.expected)
  }

  static let rejected = [
    Row("no size", "\r\nabc", "400 malformed_chunk_size"),
    Row("not a digit", "g\r\n", "400 malformed_chunk_size"),
    Row("minus", "-3\r\nabc\r\n", "400 malformed_chunk_size"),
    Row("plus", "+3\r\nabc\r\n", "400 malformed_chunk_size"),
    Row("0x", "0x3\r\nabc\r\n", "400 malformed_chunk_extension"),
    Row("space before", " 3\r\nabc\r\n", "400 malformed_chunk_size"),
    Row("space behind", "3 \r\nabc\r\n", "400 malformed_chunk_extension"),
    Row("underscore", "1_0\r\nabc\r\n", "400 malformed_chunk_extension"),
    Row("17 digits", "00000000000000003\r\nabc\r\n", "400 malformed_chunk_size"),
    Row("64 bits", "ffffffffffffffff\r\nabc\r\n", "400 malformed_chunk_size"),
    Row("bare LF behind the size", "3\nabc\r\n", "400 bare_line_feed"),
    Row("bare CR in an extension", "3;\ra\r\nabc\r\n", "400 malformed_chunk_extension"),
    Row("semicolon alone", "3;\r\nabc\r\n", "400 malformed_chunk_extension"),
    Row("extension without a value", "3;a=\r\nabc\r\n", "400 malformed_chunk_extension"),
    Row("NUL within quotes", "3;a=\"\0\"\r\nabc\r\n", "400 malformed_chunk_extension"),
    Row("quote left open", "3;a=\"b\\\"\r\nabc\r\n", "400 malformed_chunk_extension"),
    Row("space before an extension", "3 ;a\r\nabc\r\n", "400 malformed_chunk_extension"),
    Row("data too long", "3\r\nabcd\r\n", "400 malformed_chunk"),
    Row("LF behind data", "3\r\nabc\n0\r\n\r\n", "400 malformed_chunk"),
    Row("CR behind data", "3\r\nabc\r0\r\n\r\n", "400 malformed_chunk"),
    Row("length as trailer", "0\r\nContent-Length: 3\r\n\r\n", "400 forbidden_trailer"),
    Row("coding as trailer", "0\r\nTransfer-Encoding: chunked\r\n\r\n", "400 forbidden_trailer"),
    Row("host as trailer", "0\r\nhost: b\r\n\r\n", "400 forbidden_trailer"),
    Row("bad trailer name", "0\r\nX : a\r\n\r\n", "400 space_before_colon"),
    Row("bad trailer value", "0\r\nX: a\0\r\n\r\n", "400 malformed_field_value"),
    Row("bare LF in trailers", "0\r\nX: a\n\r\n", "400 bare_line_feed"),
    Row("request for a trailer", "0\r\nGET / HTTP/1.1\r\n\r\n", "400 space_before_colon"),
  ]

  @Test(arguments: rejected, [1, 1_000])
  func rejects(_ row: Row, step: Int) {
    #expect(
      transcript(of: Self.head + row.sent, step: step)
        == "POST / 1.1 chunked keep\n" + row.expected)
  }
}
