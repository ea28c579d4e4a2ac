import EventLoop
import HTTP
import Testing

@testable import App

@Suite struct TrustedProxiesTests {
  private static let cases: [(peer: String, forwarded: String?, client: String)] = [
    ("192.0.2.60", nil, "192.0.2.60"),
    // Without trust the field is a claim.
    ("192.0.2.60", "6.6.6.6", "192.0.2.60"),
    ("10.0.0.1", nil, "10.0.0.1"),
    ("10.0.0.1", "192.0.2.60", "192.0.2.60"),
    ("10.0.0.1", "6.6.6.6, 192.0.2.60, 10.0.0.7", "192.0.2.60"),
    ("10.0.0.1", "10.0.0.9, 10.0.0.7", "10.0.0.9"),
    ("10.0.0.1", "192.0.2.60, unknown", "10.0.0.1"),
    ("::ffff:10.0.0.1", "2001:db8::7", "2001:db8::7"),
  ]

  @Test(arguments: cases)
  func theClientOfACall(peer: String, forwarded: String?, client: String) throws {
    let proxies = TrustedProxies(networks: try #require(TrustedProxies.networks("10.0.0.0/8")))
    var parser = RequestParser()
    let field = forwarded.map { "X-Forwarded-For: \($0)\r\n" } ?? ""
    parser.append(Array("GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n".utf8))
    guard case .head(let head) = try parser.next() else {
      Issue.record("no head")
      return
    }
    #expect(proxies.client(of: try #require(IPAddress(peer)), head) == IPAddress(client))
  }

  @Test(arguments: ["10.0.0.0/8", "10.0.0.1, 192.0.2.0/24", "2001:db8::/32 ::1"])
  func networksAreRead(text: String) { #expect(TrustedProxies.networks(text) != nil) }

  @Test(arguments: ["", ",", "10.0.0.0/8,x", "localhost"])
  func noNetworks(text: String) { #expect(TrustedProxies.networks(text) == nil) }
}
