import HTTP
import Testing

@Suite struct MultipartFormTests {
  private func parts(
    _ text: String, boundary: String = "b", limits: HTTPLimits = .standard
  ) -> [String] {
    do throws(MultipartError) {
      let body = Array(
        text.split(separator: "|", omittingEmptySubsequences: false)
          .joined(separator: "\r\n").utf8)
      return try MultipartForm.parse(body, boundary: boundary, limits: limits).map { part in
        [
          part.name, part.filename ?? "-", part.contentType ?? "-",
          String(decoding: part.body, as: UTF8.self),
        ].joined(separator: " ")
      }
    } catch {
      return [error.code]
    }
  }

  private static let field = "Content-Disposition: form-data; name=\"f\""

  /// `|` stands for CRLF.
  static let bodies: [(String, [String])] = [
    ("--b|\(field)||hello|--b--|", ["f - - hello"]),
    ("--b|\(field)||hello|--b--", ["f - - hello"]),
    ("--b|\(field)|||--b--", ["f - - "]),
    ("--b|\(field)||a|b||--b--", ["f - - a\r\nb\r\n"]),
    ("--b|\(field)||a|--c|--b--", ["f - - a\r\n--c"]),
    ("--b|\(field)||a--b--|--b--", ["f - - a--b--"]),
    ("--b|\(field)||1|--b|\(field)||2|--b--", ["f - - 1", "f - - 2"]),
    ("preamble|--b|\(field)||a|--b--|epilogue", ["f - - a"]),
    ("--b \t|\(field)||a|--b--", ["f - - a"]),
    ("--b--", []),
    (
      "--b|content-type: text/xml|CONTENT-DISPOSITION: Form-Data;name=f;filename=a.xml||a|--b--",
      ["f a.xml text/xml a"]
    ),
    (
      "--b|\(field); filename=\"fr.lproj/Localizable.strings\"||a|--b--",
      ["f fr.lproj/Localizable.strings - a"]
    ),
    ("--b|\(field); filename=\"Zoë 日本.strings\"||a|--b--", ["f Zoë 日本.strings - a"]),
    ("--b|\(field); filename=\"a\\\"b\\\\c\"||a|--b--", ["f a\"b\\c - a"]),
    ("--b|\(field); filename=\"a%22b\"||a|--b--", ["f a\"b - a"]),
    ("--b|\(field); filename=\"%22\u{301}%2%222\"||a|--b--", ["f \"\u{301}%2\"2 - a"]),
    ("--b|\(field); filename=\"C:\\dir\\a\"||a|--b--", ["f C:\\dir\\a - a"]),
    ("--b|\(field)|Content-Transfer-Encoding: binary||a|--b--", ["f - - a"]),
    // Errors.
    ("", ["missing_boundary"]),
    ("hello", ["missing_boundary"]),
    ("--c|\(field)||a|--c--", ["missing_boundary"]),
    ("--b|\(field)||a", ["missing_final_boundary"]),
    ("--b", ["malformed_boundary_line"]),
    ("--b|", ["missing_final_boundary"]),
    ("--b|\(field)||a|--b-", ["malformed_boundary_line"]),
    ("--b|\(field)||a|--bc|--b--", ["malformed_boundary_line"]),
    ("--b|\(field)|--b--", ["malformed_part_header"]),
    ("--b||a|--b--", ["missing_part_name"]),
    ("--b|--b--", ["malformed_part_header"]),
    ("--b|Content-Type: a/b||a|--b--", ["missing_part_name"]),
    ("--b|Content-Disposition: form-data; filename=\"f\"||a|--b--", ["missing_part_name"]),
    ("--b|Content-Disposition: attachment; name=\"f\"||a|--b--", ["malformed_disposition"]),
    ("--b|\(field); name=\"g\"||a|--b--", ["malformed_disposition"]),
    ("--b|\(field); filename=\"g||a|--b--", ["malformed_disposition"]),
    ("--b|Nonsense||a|--b--", ["malformed_part_header"]),
    ("--b|\(field)\n\na|--b--", ["malformed_part_header"]),
    ("--b|\(field)|Content-Transfer-Encoding: base64||YQ==|--b--", ["unsupported_part_encoding"]),
  ]

  @Test(arguments: bodies)
  func parses(text: String, expected: [String]) {
    #expect(parts(text) == expected)
  }

  @Test func fileNamesAreUTF8() {
    var body = Array("--b\r\n\(Self.field); filename=\"".utf8)
    body += [0xE9] + Array("\"\r\n\r\na\r\n--b--".utf8)
    #expect(throws: MultipartError.self) { try MultipartForm.parse(body, boundary: "b") }
  }

  @Test func bytesStayAsTheyAre() throws {
    let bytes = (0...255).map { UInt8($0) } + Array("\r\n--\r\n-".utf8)
    let body = Array("--b\r\n\(Self.field)\r\n\r\n".utf8) + bytes + Array("\r\n--b--".utf8)
    #expect(try MultipartForm.parse(body, boundary: "b").map { Array($0.body) } == [bytes])
  }

  @Test(arguments: [("", false), ("a", true), (String(repeating: "a", count: 71), false)])
  func boundariesHaveALength(boundary: String, isTaken: Bool) {
    #expect((parts("--\(boundary)--", boundary: boundary) == []) == isTaken)
  }

  @Test func partsAndTheirHeadersAreBounded() {
    var limits = HTTPLimits()
    limits.multipartParts = 1
    let part = "--b|\(Self.field)||a|"
    #expect(parts(part + "--b--", limits: limits) == ["f - - a"])
    #expect(parts(part + part + "--b--", limits: limits) == ["too_many_parts"])
    limits.multipartHeaderBytes = Self.field.utf8.count + 4
    #expect(parts(part + "--b--", limits: limits) == ["f - - a"])
    limits.multipartHeaderBytes -= 1
    #expect(parts(part + "--b--", limits: limits) == ["malformed_part_header"])
  }
}
