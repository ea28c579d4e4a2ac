package import EventLoop
package import HTTP

/// The trusted proxies, which are believed when they say for which client they call. Without any,
/// the address of a call is the address of its connection.
package struct TrustedProxies: Sendable {
  package var networks: [IPNetwork]
  package var field: ForwardedField

  package init(networks: [IPNetwork] = [], field: ForwardedField = .forwardedFor) {
    self.networks = networks
    self.field = field
  }

  /// Reads addresses and networks, with commas or spaces between them; `nil` when one is neither.
  static func networks(_ text: String) -> [IPNetwork]? {
    let parts = text.split { $0 == "," || $0 == " " }
    let networks = parts.compactMap { IPNetwork($0) }
    return networks.count == parts.count && !networks.isEmpty ? networks : nil
  }

  /// The client of a call: the nearest address that does not belong to a trusted proxy, or the
  /// address of the last proxy when that proxy names no address. Addresses before it in the field
  /// may be lies.
  ///
  ///     trusted 10.0.0.0/8, peer 10.0.0.1, X-Forwarded-For: 6.6.6.6, 192.0.2.60, 10.0.0.7
  ///         192.0.2.60
  func client(of peer: IPAddress, _ head: RequestHead) -> IPAddress {
    guard trusts(peer) else { return peer }
    var client = peer
    for text in field.addresses(head).reversed() {
      guard let address = IPAddress(text) else { break }
      client = address
      if !trusts(address) { break }
    }
    return client
  }

  /// Whether a call seems to come through a proxy on this machine that is not trusted. Such a call
  /// counts as a call of the machine itself, which is not limited by its address.
  func misses(_ peer: IPAddress, _ head: RequestHead) -> Bool {
    peer.isLoopback && !trusts(peer)
      && (head.header("x-forwarded-for") != nil || head.header("forwarded") != nil)
  }

  /// The customer for whom the bytes of a call are held; `nil` for a trusted proxy, as it calls for
  /// others.
  /// - Parameter head: `nil` as long as it is not complete.
  func customer(of peer: IPAddress, _ head: RequestHead?) -> UInt128? {
    let address = head.map { client(of: peer, $0) } ?? peer
    return trusts(address) ? nil : address.customer
  }

  private func trusts(_ address: IPAddress) -> Bool {
    networks.contains { $0.contains(address) }
  }
}
