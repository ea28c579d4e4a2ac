import Testing

@testable import HTTP

@Suite struct ForwardedFieldTests {
  @Test(arguments: [
    ("192.0.2.60, 10.0.0.7", ["192.0.2.60", "10.0.0.7"]),
    ("192.0.2.60:4711 ,2001:db8::7", ["192.0.2.60", "2001:db8::7"]),
    ("[2001:db8::7]:4711", ["2001:db8::7"]), ("unknown", ["unknown"]),
  ])
  func addressesOfForwardedFor(value: String, addresses: [String]) throws {
    let head = try head("X-Forwarded-For: \(value)")
    #expect(ForwardedField.forwardedFor.addresses(head).map(String.init) == addresses)
  }

  @Test(arguments: [
    ("for=192.0.2.60;proto=http;by=203.0.113.43", ["192.0.2.60"]),
    ("For=\"[2001:db8::7]:4711\", for=10.0.0.7", ["2001:db8::7", "10.0.0.7"]),
    ("proto=https;for=_hidden", ["_hidden"]), ("proto=https", [""]),
    // A quote that a client left open does not hide what a proxy added.
    ("for=\"192.0.2.60, for=10.0.0.7", ["192.0.2.60", "10.0.0.7"]),
  ])
  func addressesOfForwarded(value: String, addresses: [String]) throws {
    let head = try head("Forwarded: \(value)")
    #expect(ForwardedField.forwarded.addresses(head).map(String.init) == addresses)
  }

  @Test func linesFollowEachOther() throws {
    let head = try head("X-Forwarded-For: 192.0.2.60\r\nX-Forwarded-For: 10.0.0.7")
    #expect(ForwardedField.forwardedFor.addresses(head) == ["192.0.2.60", "10.0.0.7"])
    #expect(ForwardedField.forwarded.addresses(head).isEmpty)
  }

  private func head(_ fields: String) throws -> RequestHead {
    var parser = RequestParser()
    parser.append(Array("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n".utf8))
    guard case .head(let head) = try parser.next() else {
      throw ParseError(.badRequest, "no_head", "The request has no head.")
    }
    return head
  }
}
