internal import Glibc

/// An IPv4 or IPv6 address without a port. An IPv4 address inside of IPv6, `::ffff:192.0.2.1`, is
/// the IPv4 address.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
  /// The 128 bits, an IPv4 address as RFC 4291, section 2.5.5.2, puts it into IPv6.
  let bits: UInt128

  private static let mapped: UInt128 = 0xFFFF_0000_0000

  /// Reads `192.0.2.1` or `2001:db8::1`; `nil` when the text is neither.
  public init?(_ text: some StringProtocol) {
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, String(text), &four) == 1 {
      bits = Self.mapped | UInt128(UInt32(bigEndian: four.s_addr))
    } else if inet_pton(AF_INET6, String(text), &six) == 1 {
      bits = withUnsafeBytes(of: six) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    } else {
      return nil
    }
  }

  /// The address of a socket; `nil` of one that is neither of IPv4 nor of IPv6.
  init?(_ address: SocketAddress) {
    let family = address.family
    let bits: UInt128? = address.withPointer { pointer, _ in
      let bytes = UnsafeRawPointer(pointer)
      return switch family {
      case AF_INET:
        Self.mapped
          | UInt128(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
      case AF_INET6:
        UInt128(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt128.self))
      default: nil
      }
    }
    guard let bits else { return nil }
    self.bits = bits
  }

  /// As people write it (RFC 5952): `192.0.2.1`, `2001:db8::1`.
  public var description: String {
    if isIPv4 {
      return [24, 16, 8, 0].map { String(bits >> $0 & 0xFF) }.joined(separator: ".")
    }
    return withUnsafeBytes(of: bits.bigEndian) { bytes in
      var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      inet_ntop(AF_INET6, bytes.baseAddress, &text, socklen_t(text.count))
      return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  /// Whether it is one of IPv4.
  public var isIPv4: Bool { bits >> 32 == 0xFFFF }

  /// Whether only programs of this machine have it: `127.0.0.0/8`, `::1`.
  public var isLoopback: Bool { isIPv4 ? bits >> 24 & 0xFF == 127 : bits == 1 }

  /// Whether it holds an IPv4 address as ISATAP has it (RFC 5214, section 6.1):
  /// `2001:db8::5efe:192.0.2.1`, or `…::200:5efe:192.0.2.1`.
  public var isISATAP: Bool { !isIPv4 && bits >> 32 & 0xFDFF_FFFF == 0x5EFE }

  /// What one customer of a provider has: the address itself, and of IPv6 the first 64 bits
  /// (RFC 6177).
  public var customer: UInt128 { isIPv4 ? bits : bits >> 64 }
}
