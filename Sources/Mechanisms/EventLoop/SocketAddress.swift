internal import CLinux
internal import Glibc

/// An IPv4 or IPv6 address with a port, as a person writes it: `127.0.0.1:8080`, `[::1]:8080`.
public struct SocketAddress: Sendable, CustomStringConvertible {
  private var storage: sockaddr_storage
  private let length: socklen_t

  /// Reads `host:port`; an IPv6 host stands in brackets, `localhost` and names are resolved.
  /// - Returns: `nil` when the text has no port from 0 to 65535 or the host is unknown.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), UInt16(text[text.index(after: colon)...]) != nil
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let port = String(text[text.index(after: colon)...])
    guard getaddrinfo(host.isEmpty ? nil : String(host), port, &hints, &list) == 0,
      let first = list?.pointee, let address = first.ai_addr
    else { return nil }
    defer { freeaddrinfo(list) }
    storage = sockaddr_storage()
    length = first.ai_addrlen
    withUnsafeMutableBytes(of: &storage) { target in
      target.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
    }
  }

  /// The address that a bound descriptor has.
  init(boundTo descriptor: Int32) throws(SystemError) {
    try self.init(descriptor, "getsockname", getsockname)
  }

  /// The address of the other end of a connected descriptor.
  init(peerOf descriptor: Int32) throws(SystemError) {
    try self.init(descriptor, "getpeername", getpeername)
  }

  private init(
    _ descriptor: Int32, _ call: String,
    _ read: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) throws(SystemError) {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { read(descriptor, $0, &size) }
    }
    guard status == 0 else { throw SystemError(call) }
    storage = address
    length = size
  }

  var family: Int32 { Int32(storage.ss_family) }

  public var port: UInt16 {
    withUnsafeBytes(of: storage) {
      UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
  }

  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  /// `host:port`, IPv6 hosts in brackets.
  public var description: String {
    var host = [CChar](repeating: 0, count: 64)
    _ = withPointer { getnameinfo($0, $1, &host, 64, nil, 0, NI_NUMERICHOST) }
    let name = host.withUnsafeBufferPointer { buffer in
      String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    return family == AF_INET6 ? "[\(name)]:\(port)" : "\(name):\(port)"
  }
}

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

  /// The address of a socket; `nil` for a socket that is neither of IPv4 nor of IPv6.
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

  /// Whether this is an IPv4 address.
  public var isIPv4: Bool { bits >> 32 == 0xFFFF }

  /// Whether only programs of this machine have the address: `127.0.0.0/8`, `::1`.
  public var isLoopback: Bool { isIPv4 ? bits >> 24 & 0xFF == 127 : bits == 1 }

  /// Whether the address holds an IPv4 address in the form of ISATAP (RFC 5214, section 6.1):
  /// `2001:db8::5efe:192.0.2.1`, or `…::200:5efe:192.0.2.1`.
  public var isISATAP: Bool { !isIPv4 && bits >> 32 & 0xFDFF_FFFF == 0x5EFE }

  /// The part of the address that one customer of a provider has: all of an IPv4 address, and the
  /// first 64 bits of an IPv6 address (RFC 6177).
  public var customer: UInt128 { isIPv4 ? bits : bits >> 64 }
}

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

  /// Whether an address lies in the range.
  public func contains(_ address: IPAddress) -> Bool {
    hostBits == 128 ? !address.isIPv4 : address.bits >> hostBits == first
  }
}
