import HTTP
import Testing

@Suite struct FramingTests {
  static let rejected = [
    Row("both", "Content-Length: 3\r\nTransfer-Encoding: chunked", "400 conflicting_framing"),
    Row(
      "both, turned", "Transfer-Encoding: chunked\r\nContent-Length: 3", "400 conflicting_framing"),
    Row("two lengths", "Content-Length: 3\r\nContent-Length: 4", "400 repeated_content_length"),
    Row("equal lengths", "Content-Length: 3\r\nContent-Length: 3", "400 repeated_content_length"),
    Row("list of lengths", "Content-Length: 3, 3", "400 malformed_content_length"),
    Row("negative", "Content-Length: -3", "400 malformed_content_length"),
    Row("plus", "Content-Length: +3", "400 malformed_content_length"),
    Row("hexadecimal", "Content-Length: 0x3", "400 malformed_content_length"),
    Row("space within", "Content-Length: 3 3", "400 malformed_content_length"),
    Row("empty", "Content-Length:", "400 malformed_content_length"),
    Row("fraction", "Content-Length: 3.0", "400 malformed_content_length"),
    Row(
      "more than 63 bits", "Content-Length: 9223372036854775808", "400 malformed_content_length"),
    Row(
      "wraps to 3", "Content-Length: 18446744073709551619", "400 malformed_content_length"),
    Row("gzip", "Transfer-Encoding: gzip", "400 malformed_transfer_encoding"),
    Row("identity", "Transfer-Encoding: identity", "400 malformed_transfer_encoding"),
    Row("xchunked", "Transfer-Encoding: xchunked", "400 malformed_transfer_encoding"),
    Row("quoted", "Transfer-Encoding: \"chunked\"", "400 malformed_transfer_encoding"),
    Row("parameter", "Transfer-Encoding: chunked;a=b", "400 malformed_transfer_encoding"),
    Row("empty coding", "Transfer-Encoding:", "400 malformed_transfer_encoding"),
    Row("comma behind", "Transfer-Encoding: chunked,", "400 malformed_transfer_encoding"),
    Row("comma before", "Transfer-Encoding: , chunked", "400 malformed_transfer_encoding"),
    Row("two commas", "Transfer-Encoding: gzip, ,chunked", "400 malformed_transfer_encoding"),
    Row(
      "empty behind chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding:",
      "400 malformed_transfer_encoding"),
    Row("gzip, chunked", "Transfer-Encoding: gzip, chunked", "501 unsupported_transfer_coding"),
    Row("chunked, gzip", "Transfer-Encoding: chunked, gzip", "400 malformed_transfer_encoding"),
    Row("chunked twice", "Transfer-Encoding: chunked, chunked", "400 malformed_transfer_encoding"),
    Row(
      "chunked on two lines", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
      "400 malformed_transfer_encoding"),
    Row(
      "identity behind chunked", "Transfer-Encoding: chunked\r\ntransfer-encoding: identity",
      "400 malformed_transfer_encoding"),
    Row(
      "vertical tab", "Transfer-Encoding: \u{B}chunked", "400 malformed_field_value"),
  ]

  @Test(arguments: rejected, [1, 1_000])
  func rejects(_ row: Row, step: Int) {
    let sent = "POST / HTTP/1.1\r\nHost: a\r\n\(row.sent)\r\n\r\nabc"
    #expect(transcript(of: sent, step: step) == row.expected)
  }

  @Test func chunkedNeedsHTTP11() {
    let sent = "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    #expect(transcript(of: sent, step: 1) == "400 transfer_encoding_in_http10")
  }

  static let bodies = [
    Row("length", "Content-Length: 3\r\n\r\nabc", "length 3 keep\n  abc\nidle"),
    Row("length 0", "Content-Length: 0\r\n\r\n", "length 0 keep\nidle"),
    Row("leading zeros", "Content-Length: 0003\r\n\r\nabc", "length 3 keep\n  abc\nidle"),
    Row("short", "Content-Length: 4\r\n\r\nabc", "length 4 keep\nwaits in body"),
    Row("no body", "X: a\r\n\r\n", "none keep\nidle"),
    Row("head not over", "X: a\r\n", "waits in head"),
    Row("line break behind", "Content-Length: 3\r\n\r\nabc\r\n", "length 3 keep\n  abc\nidle"),
    Row("any bytes", "Content-Length: 4\r\n\r\n\0\r\n\n", "length 4 keep\n  \0\r\n\n\nidle"),
    Row(
      "the largest length", "Content-Length: 9223372036854775807\r\n\r\na",
      "length 9223372036854775807 keep\nwaits in body"),
  ]

  @Test(arguments: bodies, [1, 1_000])
  func delimits(_ row: Row, step: Int) {
    let head = row.expected.hasPrefix("waits") ? "" : "POST / 1.1 "
    #expect(
      transcript(of: "POST / HTTP/1.1\r\nHost: a\r\n" + row.sent, step: step)
        == head + row.expected)
  }
}
