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

  /// The port.
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
