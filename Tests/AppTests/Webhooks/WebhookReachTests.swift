import EventLoop
import Glibc
import Testing

@testable import App

/// Where webhooks may go, and where they may not.
@Suite struct WebhookReachTests {
  @Test func allNetworksAreRead() {
    #expect(WebhookReach.specialNetworks.count == 24)
    #expect(WebhookReach.globalUnicast != nil)
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

  /// IANA's "IPv4 Special-Purpose Address Registry" of 2024-10-09 and "IPv6 Special-Purpose Address
  /// Registry" of 2025-04-14, row by row, and what "Internet Protocol Version 6 Address Space" has
  /// beside `2000::/3`. Of `2001::/23` no row is named that is not within it.
  private static let registry = [
    "0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
    "172.16.0.0/12", "192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32",
    "192.0.0.10/32", "192.0.0.170/32", "192.0.0.171/32", "192.0.2.0/24", "192.31.196.0/24",
    "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "255.255.255.255/32",
    "::1/128", "::/128", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64",
    "2001::/23", "2001::/32", "2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:2::/48",
    "2001:3::/32", "2001:4:112::/48", "2001:10::/28", "2001:20::/28", "2001:30::/28",
    "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fc00::/7",
    "fe80::/10",
    "::/8", "100::/8", "200::/7", "400::/6", "800::/5", "1000::/4", "4000::/3", "6000::/3",
    "8000::/3", "a000::/3", "c000::/3", "e000::/4", "f000::/5", "f800::/6", "fe00::/9",
    "fec0::/10", "ff00::/8", "224.0.0.0/4",
  ]

  @Test(arguments: registry)
  func nothingInTheRegistriesOfIANAIsAllowed(network: String) throws {
    let parts = network.split(separator: "/")
    let (first, length) = (try #require(IPAddress(parts[0])), try #require(Int(parts[1])))
    let reach = WebhookReach()
    #expect(!reach.allows(first))
    #expect(!reach.allows(try #require(Self.last(of: String(parts[0]), length))))
  }

  /// The last address of a network.
  private static func last(of text: String, _ length: Int) -> IPAddress? {
    let isIPv4 = text.contains(".")
    var bytes = [UInt8](repeating: 0, count: isIPv4 ? 4 : 16)
    guard inet_pton(isIPv4 ? AF_INET : AF_INET6, text, &bytes) == 1 else { return nil }
    for bit in length..<bytes.count * 8 { bytes[bit / 8] |= 0x80 >> UInt8(bit % 8) }
    let parts =
      isIPv4
      ? bytes.map { String($0) }
      : stride(from: 0, to: 16, by: 2).map {
        String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16)
      }
    return IPAddress(parts.joined(separator: isIPv4 ? "." : ":"))
  }

  /// By which machines in clouds reach their host, and what it knows of them: credentials, too. And
  /// IPv6 addresses that hold an IPv4 address, here `169.254.169.254` or `10.0.0.1`.
  @Test(
    arguments: [
      "169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.0.23", "169.254.42.42",
      "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254",
      "fd00:42::42", "fe80::a9fe:a9fe", "::ffff:168.63.129.16", "::ffff:a9fe:a9fe",
      "::169.254.169.254", "::ffff:0:169.254.169.254", "64:ff9b::a9fe:a9fe",
      "64:ff9b:1::a9fe:a9fe", "2002:a9fe:a9fe::1", "2002:a00:1::",
      "2001:0:4136:e378:8000:63bf:5601:5601", "2606:4700::5efe:169.254.169.254",
      "2606:4700::200:5efe:10.0.0.1", "fe80::5efe:10.0.0.1",
    ])
  func noHostOfACloudIsAllowed(address: String) { #expect(!WebhookReach().allows(address)) }

  @Test(
    arguments: [
      "168.63.129.15", "168.63.129.17", "192.31.195.255", "192.31.197.0", "192.52.192.1",
      "192.175.47.1", "192.175.49.1", "192.88.98.1", "2001:200::1", "2001:db7::1", "2003::1",
      "2620:4f:7fff::1", "2620:4f:8001::1", "3ffe:ffff::1", "2606:4700::5eff:a00:1",
    ])
  func theirNeighboursAreAllowed(address: String) { #expect(WebhookReach().allows(address)) }

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
