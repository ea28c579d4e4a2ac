internal import CLinux
internal import Glibc

/// A listening TCP socket of one loop. Each loop has its own on the same port (`SO_REUSEPORT`), so
/// the kernel spreads connections and no loop hands one over.
public final class Listener: LoopHandler, @unchecked Sendable {
  private let loop: EventLoop
  private var descriptor: Int32
  private var key: LoopKey?
  /// The owner has all the connections it wants.
  private var isPaused = false
  /// The process was out of descriptors a moment ago.
  private var isStarved = false
  private let onAccept: (Int32) -> Void
  /// The address it listens on, with the port that the kernel picked for port 0.
  public let address: SocketAddress

  /// Listens on one of the sockets of an address.
  /// - Parameter onAccept: Given each new connection's non-blocking descriptor, on the loop.
  /// - Throws: ``SystemError``, as `listen: Address already in use`.
  public init(
    _ taken: TakenAddress, loop: EventLoop, onAccept: @escaping (Int32) -> Void
  ) throws(SystemError) {
    descriptor = try taken.listen()
    // The accepted sockets inherit it.
    var bytes = Limits.sendBufferBytes
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, 4)
    address = taken.address
    self.loop = loop
    self.onAccept = onAccept
  }

  /// Starts accepting; on the loop.
  public func start() throws(SystemError) {
    key = try loop.register(
      self, descriptor: descriptor, interest: .readable, edgeTriggered: false)
  }

  /// Stops and resumes accepting while the owner has all the connections it wants; on the loop.
  public func setPaused(_ paused: Bool) {
    guard paused != isPaused else { return }
    isPaused = paused
    watch()
  }

  /// Accepts only while the listener is neither paused nor starved: the end of one state must not
  /// end the other.
  private func watch() {
    guard let key else { return }
    loop.change(key, descriptor: descriptor, interest: isPaused || isStarved ? [] : .readable)
  }

  /// Accepts all connections that the kernel has completed for us, also while paused; on the loop.
  /// For an owner that is about to close: the kernel resets the connections that are left.
  public func acceptWaiting() {
    for _ in 0..<Limits.listenBacklog {
      guard descriptor >= 0, accept() else { return }
    }
  }

  /// Stops listening for good; on the loop.
  public func close() {
    guard descriptor >= 0 else { return }
    if let key { loop.deregister(key, descriptor: descriptor) }
    key = nil
    Glibc.close(descriptor)
    descriptor = -1
  }

  /// Accepts the connections that wait.
  public func loopReady(_ readiness: Readiness) {
    for _ in 0..<Limits.acceptsPerEvent where !isPaused && descriptor >= 0 {
      guard accept() else { return }
    }
  }

  /// Accepts one connection.
  /// - Returns: Whether there may be more, and descriptors for them.
  private func accept() -> Bool {
    let accepted = postilion_accept(descriptor)
    if accepted >= 0 {
      var one: Int32 = 1
      setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
      onAccept(accepted)
      return true
    }
    if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM {
      isStarved = true
      watch()
      if let key {
        loop.schedule(key, at: loop.nanoseconds + Limits.acceptPauseNanoseconds)
      }
      return false
    }
    return errno != EAGAIN
  }

  /// Tries again after the process was out of descriptors.
  public func loopTimerFired() {
    isStarved = false
    watch()
  }
}
