internal import ASCII
internal import EventLoop

/// The addresses that webhooks may go to: addresses of the public internet, and networks that the
/// operator of the service has named. People with an admin key name a receiver and are told its
/// answers; without this limit they could look into the network in which the service runs.
struct WebhookReach: Sendable {
  /// Networks beside the public ones.
  var networks: [IPNetwork] = []
  /// Whether a receiver may be without TLS.
  var takesPlainHTTP = false

  /// Networks without receivers on the public internet: the addresses of IPv4 and the unicast
  /// addresses of IPv6 in IANA's registries for special purposes (RFC 6890), even if some are
  /// reachable from everywhere; multicast; and the address by which a machine in Azure reaches its
  /// host. Other clouds have such addresses in these networks, such as 169.254.169.254.
  static let specialNetworks = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32",
    "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24",
    "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
  ].compactMap { IPNetwork($0) }

  /// The range that IANA gives to networks for global unicast (RFC 4291, section 2.4). All other
  /// addresses of IPv6 are local, multicast, or not in use.
  static let globalUnicast = IPNetwork("2000::/3")

  /// Whether a connection may go to an address.
  func allows(_ address: IPAddress) -> Bool {
    networks.contains { $0.contains(address) } || Self.isPublic(address)
  }

  /// Whether an address belongs to the public internet. An IPv6 address that holds an IPv4 address
  /// (6to4, Teredo, NAT64, ISATAP) does not: its translator decides where it leads. An IPv4 address
  /// that is only written as an IPv6 address (`::ffff:10.0.0.1`) counts as the IPv4 address.
  private static func isPublic(_ address: IPAddress) -> Bool {
    let isUnicast =
      address.isIPv4 || globalUnicast?.contains(address) == true && !address.isISATAP
    return isUnicast && !specialNetworks.contains { $0.contains(address) }
  }

  /// Whether a connection may go to an address; `false` for a text that is no address.
  func allows(_ text: String) -> Bool { IPAddress(text).map(allows) ?? false }

  /// The fault of a receiver's address, in a sentence; `nil` when there is none. A name is checked
  /// at the time of connection, by the address that it leads to then.
  func fault(of url: String) -> String? {
    let isPlain = url.utf8.allSatisfy {
      (0x21...0x7E).contains($0) && !"\"<>\\^`{|}#".utf8.contains($0)
    }
    guard isPlain else {
      return "An address has no spaces, no fragment (#), and other characters percent-encoded."
    }
    let scheme = url.prefix { $0 != ":" }.lowercased()
    guard scheme == "https" || scheme == "http" && takesPlainHTTP,
      url.dropFirst(scheme.count).hasPrefix("://")
    else {
      return takesPlainHTTP
        ? "It begins with https:// or http://." : "It begins with https://."
    }
    let authority = url.dropFirst(scheme.count + 3).prefix { $0 != "/" && $0 != "?" }
    guard !authority.contains("@") else {
      return "A name and password do not belong into an address; deliveries are signed."
    }
    guard let host = Self.host(authority) else {
      return "It names a host, and a port from 1 to 65535."
    }
    if let address = IPAddress(host), !allows(address) {
      return
        "The address is not one of the public internet; POSTILION_WEBHOOK_NETWORKS allows more."
    }
    return nil
  }

  /// `example.com`, `example.com:8443`, `192.0.2.1`, `[2001:db8::1]:8443`.
  private static func host(_ authority: Substring) -> Substring? {
    let bytes = authority.utf8
    let host: Substring.UTF8View
    var rest: Substring.UTF8View
    if bytes.first == UInt8(ascii: "[") {
      host = bytes.dropFirst().prefix {
        $0.hexDigit != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
      }
      rest = bytes[host.endIndex...]
      guard rest.popFirst() == UInt8(ascii: "]") else { return nil }
    } else {
      host = bytes.prefix { $0.isASCIILetter || $0.isASCIIDigit || "._-".utf8.contains($0) }
      rest = bytes[host.endIndex...]
    }
    guard !host.isEmpty else { return nil }
    guard let separator = rest.popFirst() else { return Substring(host) }
    guard separator == UInt8(ascii: ":"), 1...5 ~= rest.count, rest.allSatisfy(\.isASCIIDigit),
      let port = Int(Substring(rest)), 1...65_535 ~= port
    else { return nil }
    return Substring(host)
  }
}
