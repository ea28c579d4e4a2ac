import Testing

@testable import HTTP

/// Lists and other structured values of fields, as each of their readers takes them.
@Suite struct FieldListTests {
  @Test(arguments: [
    ("\"3\"", true, true), ("W/\"3\"", false, true), ("\"x\", \"3\"", true, true),
    (" , \"x\",,\t\"3\" ,", true, true), ("\"x,\\\",\"3\"", true, true), ("\"x\"", false, false),
    ("\"\"", false, false), ("\"é\", \"3\"", true, true),
  ])
  func tagsOfAListAreComparedStronglyOrWeakly(text: String, strongly: Bool, weakly: Bool) throws {
    let list = try #require(EntityTagList(text))
    #expect(!list.isAny)
    #expect(list.names("\"3\"") == strongly)
    #expect(list.names("\"3\"", weakly: true) == weakly)
  }

  @Test(arguments: [
    "", "3", "\"3", "w/\"3\"", "W/", "W", "*, \"3\"", "\"a b\"", "\"a\" \"b\"", "\"a\u{7F}\"", ",",
  ])
  func whatIsNoListOfTagsIsNone(text: String) {
    #expect(EntityTagList(text) == nil)
  }

  @Test func anyTagIsAsterisk() { #expect(EntityTagList("*")?.isAny == true) }

  @Test(arguments: [
    ("gzip", true), ("br, GZIP;q=0.5", true), ("gzip ; q=0.001", true), ("gzip;q=0", false),
    ("gzip;q=0.000", false), ("gzip;q=x", false), ("x-gzip", false), ("*", false), ("", false),
    ("\"gzip", false), ("\"a, gzip", true), (String(repeating: "br,", count: 40) + "gzip", false),
  ])
  func gzipIsTakenWhereItIsNamed(field: String, isTaken: Bool) throws {
    #expect(try head("Accept-Encoding", field).acceptsGzip() == isTaken)
  }

  @Test(arguments: [
    ("Bearer abc", "abc"), ("bEARER  a b", "a b"), ("Bearer ", ""), ("Bearer", nil),
    ("Basic abc", nil), ("Bearer,abc", nil), ("", nil),
  ])
  func bearerCredentials(field: String, credentials: String?) throws {
    // Blanks at the end of a field are none of its value (RFC 9112, section 5).
    let wanted = field.hasSuffix(" ") ? nil : credentials
    #expect(try head("Authorization", field).bearerCredentials == wanted)
  }

  @Test func ofManyForwardedAddressesTheNearestAreTold() throws {
    let field = (0..<100).map(String.init).joined(separator: ", ")
    let told = ForwardedField.forwardedFor.addresses(try head("X-Forwarded-For", field))
    #expect(told == (84..<100).map { Substring(String($0)) })
    // Empty elements are none.
    let sparse = ForwardedField.forwardedFor.addresses(
      try head("X-Forwarded-For", field.replacing(",", with: ", ,,")))
    #expect(sparse == told)
  }

  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
    ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("Thu, 29 Feb 1900 00:00:00 GMT", nil),
    ("Wed, 30 Feb 2000 00:00:00 GMT", nil), ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
    ("Sun, 06 Nov 1994 08:49:37 UTC", nil), ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("", nil),
  ])
  func secondsOfADate(text: String, seconds: Int?) {
    #expect(HTTPDate.secondsSince1970(text) == seconds)
  }

  @Test func aMethodIsAsLongAsMethodsAre() throws {
    func method(_ count: Int) throws -> Method? {
      var parser = RequestParser()
      parser.append(Array("\(String(repeating: "M", count: count)) / HTTP/1.0\r\n\r\n".utf8))
      guard case .head(let head)? = try parser.next() else { return nil }
      return head.method
    }
    #expect(try method(32) == .other(String(repeating: "M", count: 32)))
    let error = #expect(throws: ParseError.self) { try method(33) }
    #expect(error?.status == .notImplemented)
    #expect(error?.code == "method_too_long")
  }

  private func head(_ name: String, _ value: String) throws -> RequestHead {
    try RequestHead(method: .get, target: "/", fields: [(name, value)])
  }
}
