import EventLoop
import Glibc
import Synchronization

/// Runs a test on a loop of its own.
func withLoop<Result: Sendable>(
  _ body: @Sendable @escaping (EventLoop) async throws -> Result
) async throws -> Result {
  let loop = try EventLoop()
  loop.start()
  defer { loop.stop() }
  return try await Task(executorPreference: loop) { try await body(loop) }.value
}

/// What happened, in order, from any thread.
final class Record<Element: Sendable>: Sendable {
  private struct State {
    var entries: [Element] = []
    var waiters: [(count: Int, continuation: UnsafeContinuation<Void, Never>)] = []
  }
  private let state = Mutex(State())

  var all: [Element] { state.withLock { $0.entries } }

  func append(_ entry: Element) {
    let met = state.withLock { state in
      state.entries.append(entry)
      let count = state.entries.count
      let met = state.waiters.filter { $0.count <= count }
      state.waiters.removeAll { $0.count <= count }
      return met
    }
    for waiter in met { waiter.continuation.resume() }
  }

  /// Waits until there are so many.
  func wait(for count: Int) async {
    await withUnsafeContinuation { continuation in
      let isMet = state.withLock { state in
        if state.entries.count >= count { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if isMet { continuation.resume() }
    }
  }
}

/// Two ends of a connection, non-blocking.
func makePair() throws -> (Int32, Int32) {
  var ends: [Int32] = [-1, -1]
  let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
  guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError("socketpair") }
  return (ends[0], ends[1])
}

/// Connects a blocking socket.
func connect(to address: SocketAddress) throws -> Int32 {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  var target = sockaddr_in()
  target.sin_family = sa_family_t(AF_INET)
  target.sin_port = address.port.bigEndian
  target.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  let status = withUnsafePointer(to: &target) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard status == 0 else {
    let error = SystemError("connect")
    Glibc.close(descriptor)
    throw error
  }
  return descriptor
}

extension UInt64 {
  static func milliseconds(_ count: UInt64) -> UInt64 { count * 1_000_000 }
}
