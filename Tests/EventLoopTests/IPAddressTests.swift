import Testing

@testable import EventLoop

@Suite struct IPAddressTests {
  @Test(arguments: [
    ("192.0.2.1", true), ("2001:db8::1", false), ("::ffff:192.0.2.1", true), ("::1", false),
  ])
  func anAddressIsRead(text: String, isIPv4: Bool) { #expect(IPAddress(text)?.isIPv4 == isIPv4) }

  @Test(arguments: ["", "192.0.2", "192.0.2.256", "[::1]", "::1%lo", "localhost", "192.0.2.1:80"])
  func noAddress(text: String) { #expect(IPAddress(text) == nil) }

  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::1", "::1"),
    ("255.255.255.255", "255.255.255.255"), ("2001:DB8:0:0:1::7", "2001:db8::1:0:0:7"),
  ])
  func anAddressIsShown(text: String, shown: String) {
    #expect(IPAddress(text)?.description == shown)
  }

  @Test(arguments: [
    ("2001:db8::5efe:192.0.2.1", true), ("2001:db8::200:5efe:192.0.2.1", true),
    ("2001:db8::5eff:192.0.2.1", false), ("192.0.2.1", false), ("2001:db8::1", false),
  ])
  func isISATAP(text: String, isISATAP: Bool) {
    #expect(IPAddress(text)?.isISATAP == isISATAP)
  }

  @Test func anIPv4AddressIsTheSameInsideOfIPv6() {
    #expect(IPAddress("192.0.2.1") == IPAddress("::ffff:192.0.2.1"))
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("128.0.0.1", false),
    ("::ffff:127.0.0.1", true), ("::2", false), ("10.0.0.1", false),
  ])
  func loopback(text: String, isLoopback: Bool) {
    #expect(IPAddress(text)?.isLoopback == isLoopback)
  }

  @Test func aCustomerHasAnAddressOrTheFirstHalfOfOne() throws {
    #expect(IPAddress("192.0.2.1")?.customer != IPAddress("192.0.2.2")?.customer)
    #expect(IPAddress("2001:db8:1:2::1")?.customer == IPAddress("2001:db8:1:2:3::9")?.customer)
    #expect(IPAddress("2001:db8:1:2::1")?.customer != IPAddress("2001:db8:1:3::1")?.customer)
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
    ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false),
    ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::1", false),
    ("0.0.0.0/0", "192.0.2.7", true), ("0.0.0.0/0", "2001:db8::1", false),
    ("::/0", "2001:db8::1", true), ("::/0", "192.0.2.7", false),
    ("10.0.0.0/8", "::ffff:10.1.1.1", true),
  ])
  func aNetworkContains(network: String, address: String, contains: Bool) throws {
    let network = try #require(IPNetwork(network))
    #expect(network.contains(try #require(IPAddress(address))) == contains)
  }

  @Test(arguments: ["", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "10.0.0.0/8/8", "x/8"])
  func noNetwork(text: String) { #expect(IPNetwork(text) == nil) }
}
