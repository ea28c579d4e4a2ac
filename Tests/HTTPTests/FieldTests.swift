import HTTP
import Testing

@Suite struct FieldTests {
  static let rejected = [
    Row("space before the colon", "X : a", "400 space_before_colon"),
    Row("tab before the colon", "X\t: a", "400 space_before_colon"),
    Row("folded line", "X: a\r\n b", "400 folded_field"),
    Row("folded first line", " X: a", "400 folded_field"),
    Row("no colon", "X", "400 malformed_field_name"),
    Row("no name", ": a", "400 malformed_field_name"),
    Row("name not a token", "X(: a", "400 malformed_field_name"),
    Row("non-ASCII name", "Xé: a", "400 malformed_field_name"),
    Row("NUL in a value", "X: a\0b", "400 malformed_field_value"),
    Row("escape in a value", "X: a\u{1B}b", "400 malformed_field_value"),
    Row("DEL in a value", "X: a\u{7F}b", "400 malformed_field_value"),
    Row("DEL far in a value", "X: 0123456789abcdef\u{7F}", "400 malformed_field_value"),
    Row("DEL amid a value", "X: 0123\u{7F}56789abcdef", "400 malformed_field_value"),
    Row("CR in a value", "X: a\rb", "400 malformed_field_value"),
    Row("two CRs", "X: a\r", "400 malformed_field_value"),
    Row("LF in a value", "X: a\nY: b", "400 bare_line_feed"),
    Row("second Host", "Host: a", "400 repeated_host"),
    Row("unknown expectation", "Expect: 200-ok", "417 unknown_expectation"),
  ]

  @Test(arguments: rejected, [1, 1_000])
  func rejects(_ row: Row, step: Int) {
    let sent = "GET / HTTP/1.1\r\nHost: a\r\n\(row.sent)\r\n\r\n"
    let first = "GET / HTTP/1.1\r\n\(row.sent)\r\nHost: a\r\n\r\n"
    #expect(transcript(of: sent, step: step) == row.expected)
    if !row.name.contains("Host") {
      #expect(transcript(of: first, step: step) == row.expected)
    }
  }

  @Test(arguments: 1...127)
  func namesAreTokens(byte: UInt8) {
    let special = "!#$%&'*+-.^_`|~".utf8
    let isToken =
      special.contains(byte) || 48...57 ~= byte || 65...90 ~= byte || 97...122 ~= byte
    let name = "X" + String(UnicodeScalar(byte))
    let sent = "GET / HTTP/1.1\r\nHost: a\r\n\(name)y: a\r\n\r\n"
    let isHead = transcript(of: sent, step: 1_000) == "GET / 1.1 none keep\nidle"
    // `X:y: a` is a field named X.
    #expect(isHead == (isToken || byte == UInt8(ascii: ":")))
  }

  static let hosts: [(String, Bool)] = [
    ("a", true), ("a.example:8080", true), ("a_b", true), ("[::1]:80", true), ("[::1]", true),
    ("127.0.0.1", true), ("", true), ("a:", true),
    ("a b", false), ("a, b", false), ("a/b", false), ("me@a", false), ("a:8x", false),
    ("a:80:80", false), ("[::1", false), ("[]", false), ("[::1]a", false), ("[x]", false),
    ("é", false), ("a?b", false), ("a#b", false), ("a\\b", false), ("\"a\"", false),
  ]

  @Test(arguments: hosts)
  func host(_ value: String, isTaken: Bool) {
    let expected = isTaken ? "GET / 1.1 none keep\nidle" : "400 malformed_host"
    #expect(transcript(of: "GET / HTTP/1.1\r\nHost:\(value)\r\n\r\n", step: 1_000) == expected)
  }

  @Test func hostIsNeeded() {
    #expect(transcript(of: "GET / HTTP/1.1\r\nX: a\r\n\r\n", step: 1) == "400 missing_host")
  }

  static let persistence = [
    Row("1.1", "GET / HTTP/1.1", "keep"),
    Row("1.1 close", "GET / HTTP/1.1\r\nConnection: close", "close"),
    Row("1.1 list", "GET / HTTP/1.1\r\nConnection: x , CLOSE", "close"),
    Row("1.1 two lines", "GET / HTTP/1.1\r\nConnection: close\r\nConnection: keep-alive", "close"),
    Row("1.1 another word", "GET / HTTP/1.1\r\nConnection: closed", "keep"),
    Row("1.1 upgrade is ignored", "GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: h2c", "keep"),
    Row("1.0", "GET / HTTP/1.0", "close"),
    Row("1.0 keep-alive", "GET / HTTP/1.0\r\nConnection: Keep-Alive", "keep"),
    Row("1.0 both", "GET / HTTP/1.0\r\nConnection: keep-alive, close", "close"),
  ]

  @Test(arguments: persistence)
  func persists(_ row: Row) {
    let lines = transcript(of: row.sent + "\r\nHost: a\r\n\r\n", step: 1).split(separator: "\n")
    #expect(lines.first?.hasSuffix(" \(row.expected)") == true)
  }

  static let expectations = [
    Row("with a body", "1.1\r\nContent-Length: 1\r\nExpect: 100-Continue", "keep continue"),
    Row("without a body", "1.1\r\nExpect: 100-continue", "keep"),
    Row("with an empty body", "1.1\r\nContent-Length: 0\r\nExpect: 100-continue", "keep"),
    Row("1.0 cannot wait", "1.0\r\nContent-Length: 1\r\nExpect: 100-continue", "close"),
  ]

  @Test(arguments: expectations)
  func expects(_ row: Row) {
    let sent = "PUT / HTTP/\(row.sent)\r\nHost: a\r\n\r\n"
    let lines = transcript(of: sent, step: 1).split(separator: "\n")
    #expect(lines.first?.hasSuffix(" \(row.expected)") == true)
  }

  @Test func valuesAreFoundWhateverTheCase() throws {
    let head = try RequestHead(
      method: .get, target: "/a?b",
      fields: [
        ("ACCEPT", "text/csv"), ("x-Empty", ""), ("accept", " \t application/json\t"),
        ("X-Name", "Zoë\tA"),
      ])
    #expect(head.header("accept") == "text/csv, application/json")
    #expect(head.header("x-empty") == "")
    #expect(head.header("x-name") == "Zoë\tA")
    #expect(head.header("host") == "localhost")
    #expect(head.header("accep") == nil)
    #expect(head.allHeaders.map(\.name) == ["Host", "ACCEPT", "x-Empty", "accept", "X-Name"])
    #expect(head.path == "/a")
    #expect(head.query == "b")
  }

  @Test func headsMadeByHandAreAsStrict() {
    #expect(throws: ParseError.self) {
      try RequestHead(method: .get, target: "/", fields: [("X", "a\r\n\r\nGET / HTTP/1.1")])
    }
    #expect(throws: ParseError.self) { try RequestHead(method: .get, target: "/a b") }
    #expect(throws: ParseError.self) { try RequestHead(method: .other("A B"), target: "/") }
  }
}
