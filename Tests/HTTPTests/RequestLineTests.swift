import HTTP
import Testing

@Suite struct RequestLineTests {
  static let host = "\r\nHost: a\r\n\r\n"

  static let accepted = [
    Row("GET", "GET / HTTP/1.1" + host, "GET / 1.1 none keep"),
    Row("HEAD", "HEAD / HTTP/1.1" + host, "HEAD / 1.1 none keep"),
    Row("POST", "POST / HTTP/1.1" + host, "POST / 1.1 none keep"),
    Row("PUT", "PUT / HTTP/1.1" + host, "PUT / 1.1 none keep"),
    Row("PATCH", "PATCH / HTTP/1.1" + host, "PATCH / 1.1 none keep"),
    Row("DELETE", "DELETE / HTTP/1.1" + host, "DELETE / 1.1 none keep"),
    Row("OPTIONS", "OPTIONS / HTTP/1.1" + host, "OPTIONS / 1.1 none keep"),
    Row("OPTIONS of the server", "OPTIONS * HTTP/1.1" + host, "OPTIONS * 1.1 none keep"),
    Row("unknown method", "M-SEARCH / HTTP/1.1" + host, "M-SEARCH / 1.1 none keep"),
    Row("methods mind their case", "get / HTTP/1.1" + host, "get / 1.1 none keep"),
    Row("query", "GET /a?b=c?d HTTP/1.1" + host, "GET /a?b=c?d 1.1 none keep"),
    Row("empty query", "GET /a? HTTP/1.1" + host, "GET /a? 1.1 none keep"),
    Row("escapes stay", "GET /%2F%zz HTTP/1.1" + host, "GET /%2F%zz 1.1 none keep"),
    Row("two slashes stay", "GET //a//b HTTP/1.1" + host, "GET //a//b 1.1 none keep"),
    Row("absolute", "GET http://x.example:80/a?b HTTP/1.1" + host, "GET /a?b 1.1 none keep"),
    Row("absolute, no path", "GET HTTPS://x.example?b HTTP/1.1" + host, "GET /?b 1.1 none keep"),
    Row("absolute, IPv6", "GET http://[::1]/a HTTP/1.1" + host, "GET /a 1.1 none keep"),
    Row("CONNECT", "CONNECT x:443 HTTP/1.1" + host, "CONNECT / 1.1 none keep"),
    Row("CONNECT to IPv6", "CONNECT [::1]:443 HTTP/1.1" + host, "CONNECT / 1.1 none keep"),
    Row("HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n", "GET / 1.0 none close"),
    Row("empty lines before", "\r\n\r\nGET / HTTP/1.1" + host, "GET / 1.1 none keep"),
  ]

  @Test(arguments: accepted, [1, 1_000])
  func accepts(_ row: Row, step: Int) {
    #expect(transcript(of: row.sent, step: step) == row.expected + "\nidle")
  }

  static let rejected = [
    Row("method not a token", "G(T / HTTP/1.1" + host, "400 malformed_method"),
    Row("no method", " / HTTP/1.1" + host, "400 malformed_method"),
    Row("method alone", "GET" + host, "400 malformed_method"),
    Row("tab for a space", "GET\t/ HTTP/1.1" + host, "400 malformed_method"),
    Row("two spaces", "GET  / HTTP/1.1" + host, "400 malformed_target"),
    Row("no version", "GET /" + host, "400 malformed_version"),
    Row("space at the end", "GET / HTTP/1.1 " + host, "400 malformed_version"),
    Row("space in the target", "GET /a b HTTP/1.1" + host, "400 malformed_version"),
    Row("fragment", "GET /a#b HTTP/1.1" + host, "400 malformed_target"),
    Row("non-ASCII target", "GET /é HTTP/1.1" + host, "400 malformed_target"),
    Row("DEL in the target", "GET /\u{7F} HTTP/1.1" + host, "400 malformed_target"),
    Row("NUL in the target", "GET /\0 HTTP/1.1" + host, "400 malformed_target"),
    Row("relative target", "GET a HTTP/1.1" + host, "400 malformed_target"),
    Row("asterisk for GET", "GET * HTTP/1.1" + host, "400 malformed_target"),
    Row("other scheme", "GET ftp://x/a HTTP/1.1" + host, "400 malformed_target"),
    Row("no authority", "GET http:///a HTTP/1.1" + host, "400 malformed_target"),
    Row("user in the authority", "GET http://me@x/a HTTP/1.1" + host, "400 malformed_target"),
    Row("CONNECT to a URI", "CONNECT ftp://x HTTP/1.1" + host, "400 malformed_target"),
    Row("CONNECT with a query", "CONNECT x:443?a HTTP/1.1" + host, "400 malformed_target"),
    Row("HTTP/2.0", "GET / HTTP/2.0" + host, "505 unsupported_version"),
    Row("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505 unsupported_version"),
    Row("HTTP/1.2", "GET / HTTP/1.2" + host, "505 unsupported_version"),
    Row("HTTP/0.9", "GET / HTTP/0.9" + host, "505 unsupported_version"),
    Row("HTTP/1.10", "GET / HTTP/1.10" + host, "400 malformed_version"),
    Row("HTTP/1,1", "GET / HTTP/1,1" + host, "400 malformed_version"),
    Row("lower-case version", "GET / http/1.1" + host, "400 malformed_version"),
    Row("other protocol", "GET / ICE/1.1" + host, "400 malformed_version"),
    Row("bare LF", "GET / HTTP/1.1\nHost: a\r\n\r\n", "400 bare_line_feed"),
    Row("LF alone before", "\nGET / HTTP/1.1" + host, "400 bare_line_feed"),
    Row("CR alone before", "\rGET / HTTP/1.1" + host, "400 malformed_method"),
    Row("CR within", "GET / HTTP/1.1\rX" + host, "400 malformed_version"),
    Row("many empty lines", "\r\n\r\n\r\n\r\n\r\n", "400 malformed_request_line"),
    Row("TLS hello", "\u{16}\u{3}\u{1}\0\n", "400 bare_line_feed"),
  ]

  @Test(arguments: rejected, [1, 1_000])
  func rejects(_ row: Row, step: Int) {
    #expect(transcript(of: row.sent, step: step) == row.expected)
  }
}
