import Glibc

@testable import Postgres

/// A machine that takes connections, and says nothing.
final class SilentServer: Sendable {
  private let descriptor: Int32
  /// Its port.
  let port: UInt16

  init() {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    listen(descriptor, 16)
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let socket = descriptor
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = getsockname(socket, $0, &length)
      }
    }
    port = UInt16(bigEndian: address.sin_port)
  }

  /// How it is reached.
  var address: DatabaseAddress {
    get throws { try DatabaseAddress("host=127.0.0.1 port=\(port) user=a dbname=a") }
  }

  func close() { Glibc.close(descriptor) }
}
