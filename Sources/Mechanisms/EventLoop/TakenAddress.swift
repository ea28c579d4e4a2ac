internal import CLinux
internal import Glibc
internal import Synchronization

/// An address that the process has taken, and on which it does not listen yet. A start takes it
/// first of all: root may take ports below 1024, and may be another account when it listens.
///
/// A port that the kernel picks is taken when the first one listens: it needs no right, and until
/// then a program that knows the port could listen on it.
public final class TakenAddress: Sendable {
  private struct State {
    var address: SocketAddress
    /// One for each loop, and at the end the probe, which does not share the port. With
    /// `SO_REUSEPORT` another process of the same account would not be refused, and the two would
    /// share the connections.
    var sockets: [Int32] = []

    mutating func take(_ listeners: Int) throws(SystemError) {
      sockets = [try bound(address, options: [SO_REUSEADDR])]
      address = try SocketAddress(boundTo: sockets[0])
      for _ in 0..<listeners {
        sockets.insert(try bound(address, options: [SO_REUSEADDR, SO_REUSEPORT]), at: 0)
      }
    }
  }
  private let state: Mutex<State>
  private let count: Int

  /// With the port that the kernel picked for port 0, once one listens.
  public var address: SocketAddress { state.withLock { $0.address } }

  deinit { for socket in state.withLock({ $0.sockets }) { close(socket) } }

  /// Takes an address on which nobody listens.
  /// - Parameter listeners: How many are to listen on it.
  /// - Throws: ``SystemError``, as `bind: Address already in use`.
  public init(_ wanted: SocketAddress, listeners: Int) throws(SystemError) {
    count = listeners
    state = Mutex(State(address: wanted))
    guard wanted.port != 0 else { return }
    try state.withLock { (state) throws(SystemError) in try state.take(listeners) }
  }

  /// Listens with the next socket; the first time only if nobody else listens meanwhile.
  /// - Returns: The socket, which is the caller's.
  func listen() throws(SystemError) -> Int32 {
    try state.withLock { (state) throws(SystemError) -> Int32 in
      if state.address.port == 0 { try state.take(count) }
      if state.sockets.count > count, let probe = state.sockets.popLast() {
        defer { close(probe) }
        guard Glibc.listen(probe, 0) == 0 else { throw SystemError("listen") }
      }
      guard let socket = state.sockets.last, Glibc.listen(socket, Limits.listenBacklog) == 0 else {
        throw SystemError("listen")
      }
      return state.sockets.removeLast()
    }
  }
}

private func bound(
  _ address: SocketAddress, options: [Int32]
) throws(SystemError) -> Int32 {
  let descriptor = socket(
    address.family,
    Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
  guard descriptor >= 0 else { throw SystemError("socket") }
  do throws(SystemError) {
    var one: Int32 = 1
    for option in options {
      guard setsockopt(descriptor, SOL_SOCKET, option, &one, 4) == 0 else {
        throw SystemError("setsockopt")
      }
    }
    guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else {
      throw SystemError("bind")
    }
    return descriptor
  } catch {
    Glibc.close(descriptor)
    throw error
  }
}
