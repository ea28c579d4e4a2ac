internal import CLinux
internal import Glibc
internal import Synchronization

/// Tells the supervisor that started the process what becomes of it: a datagram to the socket
/// that `NOTIFY_SOCKET` names (sd_notify(3)). Without that variable nobody is told.
///
///     NOTIFY_SOCKET=/run/systemd/notify    a socket in the file system
///     NOTIFY_SOCKET=@supervisor            an abstract one (unix(7)): the first byte is 0
public final class Supervisor: Sendable {
  /// Connected to that of the supervisor, or negative. It is connected at once, as the process may
  /// lose the right to that: root becomes another account.
  private let descriptor: Int32
  private let isStartOver = Atomic(false)

  deinit { close(descriptor) }

  /// - Parameter environment: The variables of the process.
  public init(environment: [String: String]) {
    descriptor = Self.connected(to: Array((environment["NOTIFY_SOCKET"] ?? "").utf8))
  }

  /// Asks for more time again and again, until the start is over: a step of the schema may take
  /// long, and so may the recovery of a database. It asks on a thread of its own, as the start
  /// blocks others.
  public func starting() {
    guard descriptor >= 0 else { return }
    _ = tryDetachedThread { [self] in
      while !isStartOver.load(ordering: .sequentiallyConsistent) {
        tell("EXTEND_TIMEOUT_USEC=\(Limits.startExtensionSeconds)000000")
        sleep(Limits.startExtensionSeconds / 3)
      }
    }
  }

  /// The service answers calls.
  public func ready() { startIsOver("READY=1") }

  /// The service ends.
  public func stopping() { startIsOver("STOPPING=1") }

  private func startIsOver(_ state: String) {
    isStartOver.store(true, ordering: .sequentiallyConsistent)
    tell(state)
  }

  /// A supervisor that no longer listens holds nobody up.
  private func tell(_ state: String) {
    _ = send(
      descriptor, state, state.utf8.count, Int32(truncatingIfNeeded: MSG_NOSIGNAL | MSG_DONTWAIT))
  }

  private static func connected(to name: [UInt8]) -> Int32 {
    var address = sockaddr_un()
    guard let first = name.first, name.count < MemoryLayout.size(ofValue: address.sun_path) else {
      return -1
    }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    if first == UInt8(ascii: "@") { address.sun_path.0 = 0 }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
    }
    guard status != 0 else { return descriptor }
    close(descriptor)
    return -1
  }
}
