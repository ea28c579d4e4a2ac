import EventLoop
import Testing

@testable import App

/// Where webhooks may go, and where they may not.
@Suite struct WebhookReachTests {
  @Test func allNetworksAreRead() {
    #expect(WebhookReach.specialNetworks.count == 28)
  }

  @Test(
    arguments: [
      "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
      "172.15.255.255", "172.32.0.0", "192.167.255.255", "198.17.255.255", "223.255.255.255",
      "2606:4700::1111", "2a00:1450:4001:80b::200e", "::ffff:8.8.8.8",
    ])
  func publicAddressesAreAllowed(address: String) { #expect(WebhookReach().allows(address)) }

  @Test(
    arguments: [
      "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.254",
      "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.170", "192.168.1.1",
      "198.18.0.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
      "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "::7f00:1",
      "64:ff9b::7f00:1", "fc00::1", "fd12::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1",
      "2001:db8::1", "2001::1", "2002:7f00:1::", "", "localhost", "1.2.3",
    ])
  func othersAreNot(address: String) { #expect(!WebhookReach().allows(address)) }

  @Test func whatIsNamedIsAllowed() throws {
    var reach = WebhookReach()
    reach.networks = [try #require(IPNetwork("10.1.0.0/16")), try #require(IPNetwork("::1"))]
    #expect(reach.allows("10.1.2.3"))
    #expect(reach.allows("::ffff:10.1.2.3"))
    #expect(reach.allows("::1"))
    #expect(!reach.allows("10.2.0.1"))
    #expect(!reach.allows("127.0.0.1"))
  }

  @Test(
    arguments: [
      "https://example.com", "https://example.com/a?b=c&d=%20", "HTTPS://example.com:8443/",
      "https://8.8.8.8/", "https://[2606:4700::1111]:443/x", "https://a_b.example.com",
      "https://2130706433/",
    ])
  func addresses(url: String) { #expect(WebhookReach().fault(of: url) == nil) }

  @Test(
    arguments: [
      "", "example.com", "http://example.com", "ftp://example.com", "https:/example.com",
      "https://", "https:///x", "https://user@example.com/", "https://example.com@127.0.0.1/",
      "https://[2001:db8::1]x/", "https://[2001:db8::1", "https://example.com:0/",
      "https://example.com:65536/", "https://example.com:/",
      "https://example.com/#x", "https://example.com/ x", "https://exämple.com/",
      "https://127.0.0.1/", "https://10.0.0.1:8080/", "https://[::1]/",
      "https://[::ffff:10.0.0.1]/",
      "https://exa\\mple.com/", "https://example.com/\r\nX: 1", "file:///etc/passwd",
    ])
  func noAddresses(url: String) { #expect(WebhookReach().fault(of: url) != nil) }

  @Test func withoutTLSOnlyIfThatIsSet() {
    var reach = WebhookReach()
    reach.takesPlainHTTP = true
    #expect(reach.fault(of: "http://example.com/") == nil)
    #expect(reach.fault(of: "ftp://example.com/") != nil)
  }
}
