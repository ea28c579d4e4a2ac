internal import CLinux
internal import Glibc

/// A TCP socket on this machine.
struct Socket: Sendable {
  let descriptor: Int32

  /// A blocking connection to a port of 127.0.0.1.
  static func connect(port: Int) throws(Fault) -> Socket {
    let socket = try make()
    guard socket.with(port: port, Glibc.connect) else {
      let reason = String(cString: strerror(errno))
      socket.close()
      throw Fault("connect to port \(port): \(reason)")
    }
    return socket
  }

  /// Listens on a free port of 127.0.0.1, without blocking.
  static func listen() throws(Fault) -> (socket: Socket, port: Int) {
    let socket = try make()
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound =
      socket.with(port: 0, Glibc.bind) && Glibc.listen(socket.descriptor, 1024) == 0
      && withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          getsockname(socket.descriptor, $0, &length) == 0
        }
      }
    guard isBound else { throw Fault("listen: \(String(cString: strerror(errno)))") }
    socket.doNotBlock()
    return (socket, Int(UInt16(bigEndian: address.sin_port)))
  }

  /// A port that the system gives, and nobody takes in the moment until it is used.
  static func freePort() throws(Fault) -> Int {
    let (socket, port) = try listen()
    socket.close()
    return port
  }

  /// A connection that waits on a socket that listens; it does not block.
  func accept() -> Socket? {
    let connection = postilion_accept(descriptor)
    guard connection >= 0 else { return nil }
    let socket = Socket(descriptor: connection)
    socket.doNotDelay()
    return socket
  }

  func close() { Glibc.close(descriptor) }

  /// Small packets leave at once.
  func doNotDelay() {
    var one: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, size)
  }

  func doNotBlock() {
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
  }

  /// Bytes that were sent, or -1.
  func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Bytes that were received, 0 at the end, -1 when there are none.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    recv(descriptor, buffer.baseAddress, buffer.count, 0)
  }

  private static func make() throws(Fault) -> Socket {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Fault("socket: \(String(cString: strerror(errno)))") }
    return Socket(descriptor: descriptor)
  }

  /// Calls `connect` or `bind` with a port of 127.0.0.1.
  private func with(
    port: Int, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
