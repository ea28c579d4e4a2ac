/// A range of addresses, as `10.0.0.0/8`, `2001:db8::/32`, or a single address.
public struct IPNetwork: Sendable, Hashable {
  private let first: UInt128
  private let hostBits: Int

  /// Reads an address, with or without the length of a prefix; `nil` when the text is neither.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = IPAddress(first) else { return nil }
    let width = address.isIPv4 ? 32 : 128
    let length = parts.count == 2 ? Int(parts[1]) : width
    guard let length, (0...width).contains(length) else { return nil }
    hostBits = width - length
    self.first = hostBits == 128 ? 0 : address.bits >> hostBits
  }

  /// Whether an address lies in it.
  public func contains(_ address: IPAddress) -> Bool {
    hostBits == 128 ? !address.isIPv4 : address.bits >> hostBits == first
  }
}
