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

  private struct NoHead: Error {}

  private func proxies() throws -> TrustedProxies {
    TrustedProxies(networks: try #require(TrustedProxies.networks("10.0.0.0/8 127.0.0.1")))
  }

  private func head(_ forwarded: String?) throws -> RequestHead {
    var parser = RequestParser()
    let field = forwarded.map { "X-Forwarded-For: \($0)\r\n" } ?? ""
    parser.append(Array("GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n".utf8))
    guard case .head(let head) = try parser.next() else { throw NoHead() }
    return head
  }

  @Test(arguments: cases)
  func theClientOfACall(peer: String, forwarded: String?, client: String) throws {
    let address = try #require(IPAddress(peer))
    #expect(try proxies().client(of: address, head(forwarded)) == IPAddress(client))
  }

  @Test(arguments: [
    ("192.0.2.60", nil, "192.0.2.60"),
    ("127.0.0.1", "192.0.2.60", "192.0.2.60"),
    ("10.0.0.1", "2001:db8:1:2:3::4", "2001:db8:1:2::"),
    // A proxy that does not say for whom it calls is no customer.
    ("10.0.0.1", nil, nil), ("10.0.0.1", "10.0.0.9", nil), ("10.0.0.1", "127.0.0.5", "127.0.0.5"),
    ("127.0.0.5", nil, "127.0.0.5"), ("::1", nil, "::1"),
  ])
  func theCustomerOfACall(peer: String, forwarded: String?, customer: String?) throws {
    let address = try #require(IPAddress(peer))
    let expected = customer.flatMap { IPAddress($0) }?.customer
    #expect(try proxies().customer(of: address, head(forwarded)) == expected)
    // Before there is a head the peer itself counts, unless it is a proxy.
    let early = ["10.0.0.1", "127.0.0.1"].contains(peer) ? nil : address.customer
    #expect(try proxies().customer(of: address, nil) == early)
  }

  @Test(arguments: ["10.0.0.0/8", "10.0.0.1, 192.0.2.0/24", "2001:db8::/32 ::1"])
  func networksAreRead(text: String) { #expect(TrustedProxies.networks(text) != nil) }

  @Test(arguments: ["", ",", "10.0.0.0/8,x", "localhost"])
  func noNetworks(text: String) { #expect(TrustedProxies.networks(text) == nil) }
}
